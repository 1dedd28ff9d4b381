/** The addresses of the NATS servers, which the tools of a worker must not reach. */

import type { NatsConnection } from "@nats-io/nats-core";
import { isLoopback, LOOPBACK, splitHost, withBrackets, withoutBrackets } from "../../base/host.ts";
import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { NatsAddress } from "./connection.ts";

/** The port of NATS, if an address has none. */
const NATS_PORT = "4222";

/**
 * The hosts of the servers that were named and of the other servers of the cluster, as `HOST:PORT`:
 * their names, and the addresses that these resolve to.
 */
export async function serverHosts(
  connection: NatsConnection,
  { servers }: Pick<NatsAddress, "servers">,
  resolve = addressesOf,
): Promise<string[]> {
  const named = servers.map((each) => each.replace(/^\w+:\/\//, ""));
  // A server that listens at every address of its machine tells each of them.
  const told = connection.info?.connect_urls ?? [];
  const all = [...named, ...told, connection.getServer()].map(splitHost).map(async (each) => {
    const [host, port] = [withoutBrackets(each.host), each.port || NATS_PORT];
    // This machine has many names. The last of these entries is that port of every host.
    const names = isLoopback(host)
      ? [...LOOPBACK, ""]
      : [withBrackets(host), ...await resolve(host)];
    return names.map((name) => `${name}:${port}`);
  });
  return [...new Set((await Promise.all(all)).flat())];
}

/**
 * Ends with `unavailable` when a server joins the cluster that the tools are not kept from: their
 * permissions cannot change while they run. A worker that starts again knows the server.
 */
export function watchServers(
  connection: NatsConnection,
  hosts: readonly string[],
): { signal: AbortSignal } {
  const controller = new AbortController();
  const watch = async () => {
    for await (const status of connection.status()) {
      if (status.type !== "update") continue;
      const added = [...status.added ?? [], ...connection.info?.connect_urls ?? []];
      const unknown = added.find((each) => !hosts.includes(each.replace(/^\w+:\/\//, "")));
      if (unknown === undefined) continue;
      const message = `The server ${quote(unknown)} has joined the cluster; start this worker ` +
        "again, so that its tools are kept from that server too";
      controller.abort(new CallError("unavailable", message, { server: unknown }));
    }
  };
  watch().catch(() => {});
  return controller;
}

/** The addresses of a name. The worker could not connect to a name without one. */
async function addressesOf(host: string): Promise<string[]> {
  const { lookup } = await import("node:dns/promises");
  try {
    const found = await lookup(host, { all: true });
    return found.map(({ address }) => withBrackets(address));
  } catch {
    return [];
  }
}
