/** A cluster of real NATS servers. Each link between two servers can be cut. */
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { Link } from "./link.ts";
import {
  freePort,
  initStreams,
  missingServer,
  NatsServer,
  type ServerPlace,
  tellSkipped,
  until,
} from "./nats_server.ts";

/** The streams of the calls and their results. */
const STREAMS = ["TOOLCALL_CALLS_0", "TOOLCALL_RESULTS_0"] as const;

/** The numbers of the servers. */
export const NODES = [0, 1, 2] as const;

/** The links between the servers of a cluster, which can be cut. */
export interface ClusterNetwork extends Disposable {
  /** Where a server runs, and the block `cluster` of its configuration. */
  server(node: number): { place?: ServerPlace; cluster: string };
  /** Cuts a server off from the other two. Its clients stay connected. */
  cut(node: number): void;
  /** Connects all servers again. */
  heal(): void;
}

/** Links on loopback. When one is cut, its connections end at once, and the servers notice it. */
export class ProxyNetwork implements ClusterNetwork {
  readonly #ports = NODES.map(() => freePort());
  readonly #links = NODES.flatMap((from) =>
    NODES.filter((to) => to !== from)
      .map((to) => ({ from, to, link: new Link(freePort(), this.#ports[to]!) }))
  );

  server(node: number): { cluster: string } {
    const routes = this.#links.filter(({ from }) => from === node)
      .map(({ link }) => `127.0.0.1:${link.port}`);
    return { cluster: clusterBlock(`127.0.0.1:${this.#ports[node]}`, routes) };
  }

  cut(node: number): void {
    for (const { from, to, link } of this.#links) if (from === node || to === node) link.cut();
  }

  heal(): void {
    for (const { link } of this.#links) link.heal();
  }

  [Symbol.dispose](): void {
    for (const { link } of this.#links) link[Symbol.dispose]();
  }
}

/**
 * The block `cluster` of a server's configuration: the address where it listens, and the addresses of
 * the other servers. The servers advertise an address where nothing listens, so that they use only
 * these addresses.
 */
export function clusterBlock(listen: string, routes: readonly string[]): string {
  const urls = routes.map((address) => `"nats://${address}"`).join(", ");
  return `cluster { name: c, listen: "${listen}", advertise: "127.0.0.1:1", routes: [${urls}] }`;
}

/** Three servers, with two links between each pair. */
export class NatsCluster implements AsyncDisposable {
  private constructor(
    readonly servers: readonly NatsServer[],
    readonly network: ClusterNetwork,
  ) {}

  /**
   * Starts the servers, and ends the network with them. The streams can be made once the servers have
   * found each other.
   */
  static async start(network: ClusterNetwork): Promise<NatsCluster> {
    const servers = await Promise.all(NODES.map((node) => {
      const { place, cluster } = network.server(node);
      return NatsServer.start(`server_name: n${node}\n${cluster}`, place);
    }));
    return new NatsCluster(servers, network);
  }

  /** The URLs of all servers, with commas between. */
  get url(): string {
    return this.servers.map(({ url }) => url).join(",");
  }

  /** The number of the server that leads the stream of the calls. */
  async leader(): Promise<number> {
    let leader: string | undefined;
    await until(async () => {
      leader = await this.#ask(async (manager) =>
        (await manager.streams.info(STREAMS[0])).cluster?.leader
      );
      return Boolean(leader);
    });
    return Number(leader!.slice(1));
  }

  /** Resolves when each server has all messages. */
  async untilCurrent(): Promise<void> {
    const isCurrent = () =>
      this.#ask(async (manager) => {
        const infos = [
          ...await Promise.all(STREAMS.map((name) => manager.streams.info(name))),
          await manager.consumers.info(STREAMS[0], "workers-default"),
        ];
        return infos.every(({ cluster }) =>
          cluster?.leader && cluster.replicas?.length === 2 &&
          cluster.replicas.every(({ current, offline }) => current && !offline)
        );
      });
    await until(async () => await isCurrent() === true);
  }

  /** The number of calls that workers have taken and not finished. */
  inFlight(): Promise<number> {
    return inFlight(this.servers.map(({ url }) => url));
  }

  #ask<T>(question: Question<T>): Promise<T | undefined> {
    return ask(this.servers.map(({ url }) => url), question);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.servers) await server[Symbol.asyncDispose]();
    this.network[Symbol.dispose]();
  }
}

/** The number of durable calls that the workers of these servers have taken and not finished. */
export async function inFlight(servers: string[]): Promise<number> {
  return await ask(
    servers,
    async (manager) =>
      (await manager.consumers.info(STREAMS[0], "workers-default")).num_ack_pending,
  ) ?? 0;
}

type Question<T> = (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<T>;

/** Asks any of the servers. Returns `undefined` if none answers now, for example during an election. */
async function ask<T>(servers: string[], question: Question<T>): Promise<T | undefined> {
  try {
    const connection = await connect({ servers, timeout: 2_000 });
    try {
      return await question(await jetstreamManager(connection, { timeout: 2_000 }));
    } finally {
      await connection.close();
    }
  } catch {
    return undefined;
  }
}

/** Declares a test with a cluster of three servers, whose streams keep each message three times. */
export function clusterTest(
  name: string,
  run: (cluster: NatsCluster) => Promise<void>,
  { network = () => new ProxyNetwork(), missing = missingServer }: {
    network?: () => ClusterNetwork;
    missing?: string | undefined;
  } = {},
): void {
  if (missing !== undefined) tellSkipped(name, missing);
  Deno.test({
    name,
    ignore: missing !== undefined,
    async fn() {
      await using cluster = await NatsCluster.start(network());
      // The servers have to find each other first.
      const init = () => initStreams(cluster.url, ["--replicas=3", "--lease=2s"]);
      await until(() => init().then(() => true, () => false));
      await cluster.untilCurrent();
      await run(cluster);
    },
  });
}
