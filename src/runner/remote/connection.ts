/** The connection to NATS, and what its failures mean for a call. */

import {
  credsAuthenticator,
  type NatsConnection,
  NatsConnectionImpl,
  nkeyAuthenticator,
  nkeys,
  setTransportFactory,
} from "@nats-io/nats-core/internal";
import { CallError } from "../../base/errors.ts";
import { isLoopback } from "../../base/host.ts";
import { quote } from "../../base/text/quote.ts";
import { waitForElections } from "./elections.ts";
import { DenoTransport, type TransportOptions } from "./deno_transport.ts";
import { nameOf, type UserKey } from "./user_proof.ts";

/** The time to connect, in milliseconds. */
const CONNECT_MS = 5_000;

/** The interval of pings, in milliseconds. Two without an answer mean that the server is lost. */
const PING_MS = 5_000;

/** Where the server is, and how this process proves who it is. */
export interface NatsAddress {
  /** The URLs of the servers, without user names and passwords. */
  servers: readonly string[];
  /** The path of a file with credentials (a JWT and a seed). */
  creds?: string;
  /** The path of a file with the seed of an NKey. */
  nkey?: string;
  /** The paths of the TLS files: the certificate authority, and this client's certificate and key. */
  tls?: { ca?: string; cert?: string; key?: string };
}

/**
 * The name of the user in subjects: the public key of the NKey or of the credentials. Throws
 * `unavailable` if the file cannot be read.
 */
export function userOf(address: NatsAddress): string {
  return nameOf(keyOf(address));
}

/**
 * The keys of the user. `undefined` without an NKey or credentials. Throws `unavailable` if the file
 * cannot be read.
 */
export function keyOf({ creds, nkey }: NatsAddress): UserKey | undefined {
  if (nkey !== undefined) return keyIn(nkey, trimmed(readSecret(nkey)));
  if (creds === undefined) return undefined;
  const [, seed] = /BEGIN USER NKEY SEED-+\s+(\w+)/.exec(
    new TextDecoder().decode(readSecret(creds)),
  ) ?? [];
  return keyIn(creds, new TextEncoder().encode(seed));
}

function keyIn(path: string, seed: Uint8Array): UserKey {
  try {
    return nkeys.fromSeed(seed);
  } catch {
    throw new CallError("unavailable", `There is no valid NKey seed in ${quote(path)}`);
  }
}

/** Connects to NATS. Rejects with `unavailable` if no server can be used. */
export async function connectTo(address: NatsAddress, name: string): Promise<NatsConnection> {
  const { servers, creds, nkey, tls } = address;
  const shown = servers.join(", ");
  const inboxPrefix = `_INBOX.${userOf(address)}`;
  const refusal = Promise.withResolvers<never>();
  // A refusal after the start only makes NATS connect again.
  refusal.promise.catch(() => {});
  try {
    const options: TransportOptions = {
      ...{ servers: [...servers], name, timeout: CONNECT_MS, pingInterval: PING_MS, inboxPrefix },
      // A server that restarts is waited for, however long it takes.
      ...{ maxReconnectAttempts: -1, reconnectTimeWait: 250, ignoreClusterUpdates: false },
      ...(creds !== undefined && { authenticator: credsAuthenticator(readSecret(creds)) }),
      ...(nkey !== undefined && {
        authenticator: nkeyAuthenticator(trimmed(readSecret(nkey))),
      }),
      ...(tls !== undefined && {
        tls: {
          ...(tls.ca !== undefined && { caFile: tls.ca }),
          ...(tls.cert !== undefined && { certFile: tls.cert }),
          ...(tls.key !== undefined && { keyFile: tls.key }),
        },
      }),
      // NATS itself would wait for the answer of this server until its time is over.
      onRefusal: refusal.reject,
    };
    setTransportFactory({ factory: () => new DenoTransport(), dnsResolveFn: addressesOf });
    const connected = NatsConnectionImpl.connect(options);
    const connection = await Promise.race([connected, refusal.promise]);
    waitForElections(connection);
    return connection;
  } catch (error) {
    throw new CallError("unavailable", `Cannot connect to NATS at ${shown}: ${reasonOf(error)}`, {
      servers,
    });
  }
}

/** The addresses of a name. NATS tries them in any order, which spreads clients over servers. */
async function addressesOf(host: string): Promise<string[]> {
  // Names of this machine need none of Node's modules.
  if (isLoopback(host)) return [host];
  const { lookup } = await import("node:dns/promises");
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/** Reads a file with a secret. Throws `unavailable`. */
function readSecret(path: string): Uint8Array {
  try {
    return Deno.readFileSync(path);
  } catch (error) {
    const why = (error as Error).message;
    throw new CallError("unavailable", `Cannot read the NATS credentials ${quote(path)}: ${why}`);
  }
}

function trimmed(seed: Uint8Array): Uint8Array {
  return new TextEncoder().encode(new TextDecoder().decode(seed).trim());
}

/** The reason of an error, with advice where there is a usual one. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  const text = cause instanceof Error && !message.includes(cause.message)
    ? `${message}: ${cause.message}`
    : message;
  if (/ended TLS/.test(text)) {
    return `${text}; it may ask for a certificate: use --tls-cert=FILE and --tls-key=FILE`;
  }
  if (/authorization violation|authentication/i.test(text)) {
    return `${text}; check --nats-creds or --nats-nkey`;
  }
  if (/certificate/i.test(text)) return `${text}; name the authority with --tls-ca=FILE`;
  if (/refused|timeout|ENOTFOUND|unreachable/i.test(text)) return `${text}; is the server running?`;
  return text;
}
