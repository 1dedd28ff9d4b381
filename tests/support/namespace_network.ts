/** Links between network namespaces of Linux, for a cluster that loses packets. */
import { clusterBlock, type ClusterNetwork, NODES } from "./nats_cluster.ts";
import { existsFile, type ServerPlace } from "./nats_server.ts";

/** The port at which the servers reach each other. */
const CLUSTER_PORT = 6_222;

/** Returns the first three numbers of addresses in a network that no link of this machine uses. */
function freeNetwork(network: string): string {
  const used = Deno.networkInterfaces().map(({ address }) => address);
  for (let tries = 0; tries < 256; tries++) {
    const start = `${network}.${(Deno.pid + tries) % 256}`;
    if (!used.some((address) => address.startsWith(`${start}.`))) return start;
  }
  throw new Error(`All addresses below ${network} are used`);
}

/**
 * Each server has its own network namespace, with a link to this machine for its clients, and a link
 * to each other server. A cut link passes no packets, but connections do not end.
 */
export class NamespaceNetwork implements ClusterNetwork {
  /** The addresses for clients are in a network that is reserved for measurements (RFC 2544). */
  readonly #clients = freeNetwork("198.18");

  /** Makes the namespaces. Throws the reason if that is not possible. */
  constructor() {
    try {
      this.#make();
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  #make(): void {
    for (const node of NODES) ip("netns", "add", name(node));
    for (const node of NODES) {
      const here = `${name(node)}c`;
      ip("link", "add", here, "type", "veth", "peer", "name", "clients", "netns", name(node));
      ip("address", "add", `${this.#clients}.${4 * node + 1}/30`, "dev", here);
      ip("link", "set", here, "up");
      begin(node, "clients", this.#hostname(node));
      for (const other of NODES.filter((other) => other > node)) {
        const peer = ["peer", "name", `to${node}`, "netns", name(other)];
        ip("-netns", name(node), "link", "add", `to${other}`, "type", "veth", ...peer);
        begin(node, `to${other}`, address(node, other));
        begin(other, `to${node}`, address(other, node));
      }
    }
  }

  server(node: number): { place: ServerPlace; cluster: string } {
    const routes = others(node).map((other) => `${address(other, node)}:${CLUSTER_PORT}`);
    return {
      place: {
        hostname: this.#hostname(node),
        launcher: ["ip", "netns", "exec", name(node)],
      },
      cluster: clusterBlock(`0.0.0.0:${CLUSTER_PORT}`, routes),
    };
  }

  cut(node: number): void {
    for (const other of others(node)) setLink(node, other, "down");
  }

  heal(): void {
    for (const node of NODES) for (const other of others(node)) setLink(node, other, "up");
  }

  /** Removes the namespaces, and with them their links. */
  [Symbol.dispose](): void {
    for (const node of NODES.filter((node) => existsFile(`/run/netns/${name(node)}`))) {
      ip("netns", "delete", name(node));
    }
  }

  #hostname(node: number): string {
    return `${this.#clients}.${4 * node + 2}`;
  }
}

const others = (node: number) => NODES.filter((other) => other !== node);

/** The name of a server's namespace, which other runs of the tests do not use. */
const name = (node: number) => `nats${Deno.pid}n${node}`;

/** The address of a server on its link to another server. Only these two servers use this network. */
function address(node: number, other: number): string {
  return `10.0.${node + other}.${node < other ? 1 : 2}`;
}

/** Sets the address of a device in a namespace, and starts the device. */
function begin(node: number, device: string, address: string): void {
  ip("-netns", name(node), "address", "add", `${address}/30`, "dev", device);
  ip("-netns", name(node), "link", "set", device, "up");
}

function setLink(node: number, other: number, state: "up" | "down"): void {
  ip("-netns", name(node), "link", "set", `to${other}`, state);
}

function ip(...args: string[]): void {
  const { success, stderr } = new Deno.Command("ip", { args }).outputSync();
  if (!success) throw new Error(`ip ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
}

/** The reason why such a network cannot be made, or undefined. */
export const noNamespaces: string | undefined = findFault();

function findFault(): string | undefined {
  try {
    using _ = new NamespaceNetwork();
    return undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      return "ip is not installed (apt-get install iproute2)";
    }
    return `a network namespace cannot be made: ${(error as Error).message.trim()}`;
  }
}
