import { isLoopback } from "../../../base/host.ts";
import { isObject } from "../../../base/json/is_object.ts";
import { hint, nearest } from "../../../base/text/nearest.ts";
import { quote } from "../../../base/text/quote.ts";

/** How toolcall gets the first token: a person logs in, or the client has credentials. */
export type OAuthGrant = "authorization_code" | "client_credentials";

/** A secret of the client: its text, or the file that has it, as configured. */
export type ClientSecret = { text: string } | { file: string };

/** The key `oauth` of a server, with defaults applied. */
export interface OAuthConfig {
  /** How toolcall gets the first token. */
  grant: OAuthGrant;
  /** The client's identifier, if it is registered already. */
  clientId?: string;
  /** The client's secret. */
  clientSecret?: ClientSecret;
  /** The private key that signs the client's assertions, as PEM (PKCS #8). */
  privateKey?: ClientSecret;
  /** The algorithm of the assertions; by default the key decides. */
  algorithm?: string;
  /** The authorization server that may get the client's credentials. */
  issuer?: string;
  /** Its token endpoint. toolcall then asks for no metadata. */
  tokenEndpoint?: string;
  /** The scopes to ask for, separated by blanks. */
  scope?: string;
  /** The address of the client's metadata document, which is then its identifier. */
  clientMetadataUrl?: string;
  /** The port of the callback; by default a free one. */
  callbackPort?: number;
  /** The secrets that the entry has as text. */
  secrets: readonly string[];
  /** The entry as text, by which a changed entry is recognised. */
  source: string;
}

/** The algorithms that the MCP library signs with. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384"];

/** The type of each key. */
const KEYS: Readonly<Record<string, [what: string, fits: (value: unknown) => boolean]>> = {
  grant: [
    "authorization_code or client_credentials",
    (value) => value === "authorization_code" || value === "client_credentials",
  ],
  clientId: ["a string", isText],
  clientSecret: ["a string", isText],
  clientSecretFile: ["a path", isText],
  privateKey: ["a string", isText],
  privateKeyFile: ["a path", isText],
  algorithm: [ALGORITHMS.join(", "), (value) => ALGORITHMS.includes(value as string)],
  issuer: ["a string", isText],
  tokenEndpoint: ["a string", isText],
  scope: ["a string", isText],
  clientMetadataUrl: ["a string", isText],
  callbackPort: [
    "a port from 1 to 65535",
    (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 65_535,
  ],
};

/** Whether configured header fields authorise the requests. */
export function hasAuthorization(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
}

/**
 * Parses the key `oauth` of a server with these header fields. `expand` replaces variables of the
 * environment. Throws an error that says what is wrong with it and shows no value.
 */
export function parseOAuth(
  entry: unknown,
  { expand, headers }: {
    expand: (text: unknown) => string;
    headers: Readonly<Record<string, string>>;
  },
): OAuthConfig {
  if (!isObject(entry)) throw new Error('"oauth" must be an object');
  checkKeys(entry);
  if (hasAuthorization(headers)) {
    throw new Error('"oauth" cannot be combined with the header Authorization');
  }
  const text = (key: string) => entry[key] === undefined ? undefined : expand(entry[key]);
  const secret = secretOf("clientSecret", entry, expand);
  const key = secretOf("privateKey", entry, expand);
  if (secret !== undefined && key !== undefined) {
    throw new Error('"oauth" must have a client secret or a private key, and not both');
  }
  const hasCredentials = secret !== undefined || key !== undefined;
  const clientId = text("clientId");
  if (hasCredentials && clientId === undefined) throw new Error('"oauth" needs "clientId"');
  const grant = (entry["grant"] ??
    (hasCredentials ? "client_credentials" : "authorization_code")) as OAuthGrant;
  if (grant === "client_credentials" && !hasCredentials) {
    throw new Error('the grant client_credentials needs "clientSecret" or "privateKeyFile"');
  }
  const [issuer, tokenEndpoint] = [text("issuer"), text("tokenEndpoint")];
  checkAddress("issuer", issuer);
  checkAddress("tokenEndpoint", tokenEndpoint);
  const [scope, clientMetadataUrl] = [text("scope"), text("clientMetadataUrl")];
  checkMetadataUrl(clientMetadataUrl);
  const { algorithm, callbackPort } = entry as { algorithm?: string; callbackPort?: number };
  return {
    grant,
    ...(clientId !== undefined && { clientId }),
    ...(secret && { clientSecret: secret }),
    ...(key && { privateKey: key }),
    ...(algorithm !== undefined && { algorithm }),
    ...(issuer !== undefined && { issuer }),
    ...(tokenEndpoint !== undefined && { tokenEndpoint }),
    ...(scope !== undefined && { scope }),
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    ...(callbackPort !== undefined && { callbackPort }),
    secrets: [secret, key].flatMap((each) => each && "text" in each ? each.text : []),
    source: JSON.stringify(entry),
  };
}

/** Whether toolcall may send a token or a secret to this address. */
export function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || protocol === "http:" && isLoopback(hostname);
}

function checkKeys(entry: Record<string, unknown>): void {
  const known = Object.keys(KEYS);
  for (const [key, value] of Object.entries(entry)) {
    if (!Object.hasOwn(KEYS, key)) {
      const near = hint(nearest(key, known), known.join(", ")).replace('see "', 'available: "');
      throw new Error(`"oauth" has no key ${quote(key)}; ${near}`);
    }
    const [what, fits] = KEYS[key]!;
    if (!fits(value)) throw new Error(`"oauth": ${quote(key)} must be ${what}`);
  }
}

function secretOf(
  key: string,
  entry: Record<string, unknown>,
  expand: (text: unknown) => string,
): ClientSecret | undefined {
  const [text, file] = [entry[key], entry[`${key}File`]];
  if (text !== undefined && file !== undefined) {
    throw new Error(`"oauth" must have "${key}" or "${key}File", and not both`);
  }
  if (text !== undefined) return { text: expand(text) };
  return file === undefined ? undefined : { file: expand(file) };
}

function checkAddress(key: string, address: string | undefined): void {
  if (address === undefined) return;
  const url = URL.parse(address);
  if (url !== null && isSecure(url) && url.username === "" && url.password === "") return;
  throw new Error(`"oauth": "${key}" must be an address that starts with https://`);
}

/** The SDK has the same rule: a path is required. */
function checkMetadataUrl(address: string | undefined): void {
  if (address === undefined) return;
  const url = URL.parse(address);
  if (url?.protocol === "https:" && url.pathname !== "/") return;
  throw new Error('"oauth": "clientMetadataUrl" must be an https address with a path');
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "" && !value.includes("\0");
}
