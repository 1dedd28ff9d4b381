import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import type { ResourceContents, ToolOutput } from "../../../base/content.ts";
import type { CapabilitySetup } from "../../capability/capability.ts";
import type { Registry } from "../../registry/registry.ts";
import type { McpResource, McpResources } from "../../registry/mcp_service.ts";
import { denialText } from "../../sandbox/policy/denial_text.ts";
import { decide } from "../../sandbox/policy/grants.ts";
import type { KeepSetup } from "../kept/keep_order.ts";
import type { RequestOptions } from "./connection.ts";
import { McpServer, type ServerStatus } from "./mcp_server.ts";
import {
  noServer,
  readServersConfig,
  type ServersConfig,
  unknownServer,
} from "./servers_config.ts";
import { serverIn } from "./tool_names.ts";

/** The call's options that concern MCP servers. */
export type ServersSetup = Omit<CapabilitySetup, "program"> & {
  /** Missing if servers end with this process, whatever their entries say. */
  keeps?: KeepSetup;
  /** Whether forms of servers are shown to the user. */
  mayAskUser?: boolean;
  /** Gets a message when a server has not answered its first request after a second. */
  onWait?(message: string): Promise<void>;
};

/** The configured MCP servers. Only servers that the flags grant are started or reached. */
export class McpServers {
  #config: ServersConfig;
  #servers = new Map<string, McpServer>();

  /**
   * Reads the configuration. With `isResident`, connections stay open, and the catalogue is updated
   * when servers change tools. Throws `unavailable` for a file that cannot be used.
   */
  constructor(readonly setup: ServersSetup, { isResident }: { isResident: boolean }) {
    this.#config = readServersConfig(setup);
    const { directory, servers } = this.#config;
    for (const [name, config] of servers) {
      if (config instanceof Error) continue;
      this.#servers.set(
        name,
        new McpServer(config, { ...setup, directory, isResident }),
      );
    }
  }

  /** Returns the names of the configured servers. */
  names(): string[] {
    return [...this.#config.servers.keys()];
  }

  /**
   * Adds the tools of each server to the catalogue: from the cache, otherwise from the server if
   * the flags grant it. Returns messages about servers and tools that could not be listed.
   */
  async provideAll(registry: Registry): Promise<string[]> {
    const problems = await Promise.all([...this.#config.servers].map(async ([name, config]) => {
      const inServer = (problem: string) => `MCP server ${quote(name)}: ${problem}`;
      if (config instanceof Error) return [config.message];
      const refusal = this.#refusal(name);
      try {
        const mayAsk = refusal === undefined;
        const found = await this.#server(name).provide(registry, { mayAsk });
        return found?.map(inServer) ??
          [inServer(`its tools are not available: ${refusal!.message}`)];
      } catch (error) {
        return [inServer((error as Error).message)];
      }
    }));
    return problems.flat();
  }

  /**
   * Adds the tools of the server of this tool to the catalogue. Throws if the flags do not let the
   * server be asked, or if it does not respond.
   */
  async provide(name: string, registry: Registry): Promise<void> {
    const named = serverIn(name);
    if (named === undefined || !this.#config.servers.has(named)) {
      throw this.#unknownTool(name, named);
    }
    const server = this.#server(named);
    const refusal = this.#refusal(named);
    const mayAsk = refusal === undefined;
    if (await server.provide(registry, { mayAsk }) === undefined) throw refusal!;
    // The server may have added the tool after the list was cached.
    if (mayAsk && !registry.has(name)) await server.provide(registry, { mayAsk, isFresh: true });
  }

  /** The state of each server whose configuration is valid. Starts none. */
  statuses(): (ServerStatus & { name: string })[] {
    return Array.from(this.#servers, ([name, server]) => ({ name, ...server.status() }));
  }

  /** Starts a server and lists its tools again. Throws if the flags do not allow it. */
  async start(name: string, registry: Registry): Promise<void> {
    await this.#granted(name).provide(registry, { mayAsk: true, isFresh: true });
  }

  /** Calls a tool of a server. */
  async call(
    [server, tool]: [server: string, tool: string],
    args: Record<string, unknown>,
    options: RequestOptions,
  ): Promise<ToolOutput> {
    return await this.#granted(server).call(tool, args, options);
  }

  /** Lists the resources of one server, or of all servers that the flags grant. */
  async resources(named: string | undefined, options: RequestOptions): Promise<McpResources> {
    if (named !== undefined) return await this.#granted(named).resources(options);
    const names = this.names();
    if (names.length === 0) throw noServer(this.setup.root);
    const refusals = names.map((name) => this.#refusal(name));
    if (refusals.every((refusal) => refusal !== undefined)) throw refusals[0]!;
    const resources: McpResource[] = [];
    const notes: string[] = [];
    await Promise.all(names.map(async (name) => {
      try {
        const found = await this.#granted(name).resources(options);
        resources.push(...found.resources);
        notes.push(...found.notes);
      } catch (error) {
        options.signal.throwIfAborted();
        notes.push((error as Error).message);
      }
    }));
    return { resources, notes };
  }

  /** Reads one resource. */
  async read(
    [server, uri]: [server: string, uri: string],
    options: RequestOptions,
  ): Promise<ResourceContents[]> {
    return await this.#granted(server).read(uri, options);
  }

  /** Lists what is directly inside a directory of a server. */
  async directory(
    [server, uri]: [server: string, uri: string],
    options: RequestOptions,
  ): Promise<McpResources> {
    return await this.#granted(server).directory(uri, options);
  }

  /** Closes all connections, and ends the programs of servers. Never throws. */
  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
  }

  #granted(name: string): McpServer {
    const server = this.#server(name);
    const refusal = this.#refusal(name);
    if (refusal !== undefined) throw refusal;
    return server;
  }

  #server(name: string): McpServer {
    const config = this.#config.servers.get(name);
    if (config instanceof Error) throw config;
    const server = this.#servers.get(name);
    if (server !== undefined) return server;
    if (this.#config.servers.size === 0) throw noServer(this.setup.root, name);
    throw new CallError("unavailable", unknownServer(this.#config, name), { server: name });
  }

  #refusal(server: string): CallError | undefined {
    const permission = { name: "mcp", server } as const;
    const decision = decide(permission, this.setup.grants);
    if (decision.granted) return undefined;
    const { flag, denied } = decision;
    return new CallError("permission_denied", denialText(decision), {
      needs: [{ ...permission, flag, denied }],
    });
  }

  /** Creates the error of a tool whose name contains no configured server. */
  #unknownTool(name: string, server: string | undefined): CallError {
    const why = server === undefined
      ? 'the name of an MCP tool is "mcp__<server>__<tool>"'
      : this.#config.servers.size === 0
      ? noServer(this.setup.root, server).message
      : unknownServer(this.#config, server);
    const tool = name.slice(0, 200);
    return new CallError("tool_not_found", `Unknown tool ${quote(name)}: ${why}`, { tool });
  }
}
