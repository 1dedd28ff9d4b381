/** A server with the users of deploy/nats.conf and real keys. */
import { nkeys } from "@nats-io/nats-core";
import { expect } from "@std/expect";
import { NatsServer } from "../../../support/nats_server.ts";

/** The users of deploy/nats.conf. */
export const USERS = ["ADMIN", "WORKER", "CALLER", "BUILDER"] as const;

/**
 * Starts a server with the users of deploy/nats.conf, and writes their seeds into files. The callers
 * may also publish to the subjects in `more`.
 */
export async function startProtected(directory: string, more: readonly string[] = []): Promise<{
  server: NatsServer;
  /** The paths of the files. */
  seeds: Record<typeof USERS[number], string>;
  /** The public keys. */
  keys: Record<typeof USERS[number], string>;
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
    seeds: seeds as Record<typeof USERS[number], string>,
    keys: keys as Record<typeof USERS[number], string>,
  };
}
