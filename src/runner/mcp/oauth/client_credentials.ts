import { createPrivateKeyJwtAuth, type OAuthClientProvider } from "@modelcontextprotocol/client";
import { pathRules } from "../../../base/fs/path_rules.ts";
import { readRegularText } from "../../../base/fs/system_file.ts";
import { osErrorMessage } from "../../../base/os_error_message.ts";
import { CallError } from "../../../base/errors.ts";
import { quotePath } from "../../../base/text/quote.ts";
import type { Grants } from "../../sandbox/policy/grants.ts";
import { untrustedStep } from "../../sandbox/policy/paths.ts";
import type { ClientSecret, OAuthConfig } from "./oauth_config.ts";

/** The largest file of a secret, in bytes. */
const MAX_BYTES = 2 ** 16;

/** The credentials of a client, as the SDK takes them. */
export interface ClientCredentials {
  /** The client's secret. */
  clientSecret?: string;
  /** Signs the client's assertions. */
  addClientAuthentication?: NonNullable<OAuthClientProvider["addClientAuthentication"]>;
}

/**
 * Reads the credentials of a configured client. Their texts are added to `secrets`. Throws
 * `unavailable` for a file that cannot be read, or that a call could have written.
 */
export function clientCredentials(
  { clientId, clientSecret, privateKey, algorithm }: OAuthConfig,
  { directory, grants, secrets }: { directory: string; grants: Grants; secrets: string[] },
): ClientCredentials {
  const read = (secret: ClientSecret) => {
    const text = "text" in secret ? secret.text : readSecret(secret.file, { directory, grants });
    secrets.push(text);
    return text;
  };
  if (clientSecret !== undefined) return { clientSecret: read(clientSecret) };
  if (privateKey === undefined || clientId === undefined) return {};
  const pem = read(privateKey);
  const alg = algorithm ?? algorithmOf(pem);
  return {
    addClientAuthentication: createPrivateKeyJwtAuth({
      ...{ issuer: clientId, subject: clientId, privateKey: pem, alg },
    }),
  };
}

function readSecret(
  file: string,
  { directory, grants }: { directory: string; grants: Grants },
): string {
  const path = pathRules.resolve(directory, file);
  const fail = (why: string) =>
    new CallError("unavailable", `Cannot read the secret in ${quotePath(path)}: ${why}`);
  if (untrustedStep(path, grants.allow.write) !== undefined) {
    throw fail("calls may write to it; keep it elsewhere");
  }
  try {
    const text = readRegularText(path, MAX_BYTES).trim();
    if (text !== "") return text;
  } catch (error) {
    throw fail(osErrorMessage(error));
  }
  throw fail("it is empty");
}

/** The object identifiers of kinds of keys (RFC 8017, RFC 5480) in DER, and their algorithms. */
const KEY_KINDS: readonly [identifier: string, algorithm: string][] = [
  ["06092a864886f70d010101", "RS256"],
  ["06082a8648ce3d030107", "ES256"],
  ["06052b81040022", "ES384"],
];

/** The algorithm for a key in PEM. Throws `unavailable` for another form. */
function algorithmOf(pem: string): string {
  const base64 = /-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END/.exec(pem)?.[1];
  const hex = base64 === undefined ? "" : Uint8Array.fromBase64(base64).toHex();
  const found = KEY_KINDS.find(([identifier]) => hex.includes(identifier));
  if (found !== undefined) return found[1];
  throw new CallError(
    "unavailable",
    "Cannot use the private key: it must be an RSA, P-256 or P-384 key in PEM that begins with " +
      '"BEGIN PRIVATE KEY"; openssl pkcs8 -topk8 -nocrypt converts others',
  );
}
