/** A server with the users of deploy/nats.conf and real keys. */
import { headers, nkeys } from "@nats-io/nats-core";
import { connect, nkeyAuthenticator } from "@nats-io/transport-node";
import { expect } from "@std/expect";
import { NatsServer } from "../../../support/nats_server.ts";

/** The users of deploy/nats.conf. */
export const USERS = ["ADMIN", "WORKER", "CALLER", "BUILDER"] as const;

/** A user of deploy/nats.conf. */
export type User = typeof USERS[number];

/** A server with these users, their keys and their seeds. */
export type Protected = Awaited<ReturnType<typeof startProtected>>;

/**
 * Starts a server with the users of deploy/nats.conf, and writes their seeds into files. The callers
 * may also publish to the subjects in `more`.
 */
export async function startProtected(directory: string, more: readonly string[] = []): Promise<{
  server: NatsServer;
  /** The paths of the files. */
  seeds: Record<User, string>;
  /** The public keys. */
  keys: Record<User, string>;
}> {
  let config = Deno.readTextFileSync(new URL("../../../../deploy/nats.conf", import.meta.url));
  const first = '"toolcall.call.default.Read"';
  config = config.replaceAll(first, [first, ...more.map((each) => `"${each}"`)].join(", "));
  const [seeds, keys]: Record<string, string>[] = [{}, {}];
  for (const name of USERS) {
    const pair = nkeys.createUser();
    keys![name] = pair.getPublicKey();
    config = config.replaceAll(`${name}_PUBLIC_KEY`, keys![name]);
    seeds![name] = `${directory}/${name.toLowerCase()}.seed`;
    Deno.writeFileSync(seeds![name], pair.getSeed(), { mode: 0o600 });
  }
  // Debian's server does not know sync_interval, the test has its own address, and another test has TLS.
  const own = config.slice(config.indexOf("authorization {"));
  expect(own).not.toContain("_PUBLIC_KEY");
  return {
    server: await NatsServer.start(own),
    seeds: seeds as Record<User, string>,
    keys: keys as Record<User, string>,
  };
}

/** Connects as a user, and closes the connection in the end. */
export async function connectAs({ server, seeds, keys }: Protected, user: User) {
  const connection = await connect({
    servers: server.url,
    authenticator: nkeyAuthenticator(Deno.readFileSync(seeds[user])),
    inboxPrefix: `_INBOX.${keys[user]}`,
  });
  return { connection, [Symbol.asyncDispose]: () => connection.close() };
}

/** Signs a message of a user, as any client can. */
export function sign(seed: string, sender: string): string {
  return nkeys.fromSeed(Deno.readFileSync(seed))
    .sign(new TextEncoder().encode(`toolcall calls of ${sender}`))
    .toBase64({ alphabet: "base64url", omitPadding: true });
}

/** The headers with the proof of a user. */
export function signed(seed: string, sender: string) {
  const all = headers();
  all.set("Toolcall-Proof", sign(seed, sender));
  return all;
}
