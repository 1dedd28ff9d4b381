import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import type { ResourceContents, ToolOutput } from "../../../base/content.ts";
import type { Registry } from "../../registry/registry.ts";
import type { McpResource, McpResources } from "../../registry/services.ts";
import { decide, type Grants } from "../../sandbox/policy/grants.ts";
import {
  noServer,
  readServersConfig,
  type ServersConfig,
  unknownServer,
  unknownServerTool,
} from "./servers_config.ts";
import type { RequestOptions } from "./connection.ts";
import { ListCache } from "./list_cache.ts";
import { serverIn } from "./tool_names.ts";
import { McpServer } from "./mcp_server.ts";

/** The call's options that concern MCP servers. */
export interface ServersSetup {
  /** The configuration file, if the user named one. */
  config?: string;
  /** The call's root directory, a real path. */
  root: string;
  /** Returns the environment of the caller. */
  environment(): Record<string, string>;
  /** The permission flags. */
  grants: Grants;
  /** The state directory, if the user named one. */
  stateDir?: string;
}

/** The configured MCP servers. Only servers that the flags grant are started or reached. */
export class McpServers {
  #setup: ServersSetup;
  #config: ServersConfig;
  #servers = new Map<string, McpServer>();
  #isResident = false;

  /** Reads the configuration. Throws `unavailable` for a file that cannot be used. */
  constructor(setup: ServersSetup) {
    this.#setup = setup;
    this.#config = readServersConfig({
      ...(setup.config !== undefined && { file: setup.config }),
      root: setup.root,
      environment: setup.environment(),
      grants: setup.grants,
    });
    const cache = new ListCache(setup.stateDir);
    for (const [name, config] of this.#config.servers) {
      if (config instanceof Error) continue;
      const { root, grants } = setup;
      const folder = this.#config.folder;
      this.#servers.set(name, new McpServer(config, { root, folder, grants, cache }));
    }
  }

  /** Returns the names of the configured servers. */
  names(): string[] {
    return [...this.#config.servers.keys()];
  }

  /** Keeps connections open from now on, and updates the catalogue when servers change tools. */
  stay(): void {
    this.#isResident = true;
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
        const found = await this.#server(name).provide(
          registry,
          this.#provideOptions(refusal === undefined),
        );
        return found?.map(inServer) ?? [inServer(`its tools are not listed: ${refusal!.message}`)];
      } catch (error) {
        return [inServer((error as Error).message)];
      }
    }));
    return problems.flat();
  }

  /**
   * Adds the tools of the server of this tool to the catalogue. Throws if the flags do not let the
   * server be asked, or if it does not answer.
   */
  async provide(name: string, registry: Registry): Promise<void> {
    const named = serverIn(name);
    if (named === undefined || !this.#config.servers.has(named)) {
      throw unknownServerTool({ name, server: named }, {
        config: this.#config,
        root: this.#setup.root,
      });
    }
    const server = this.#server(named);
    const refusal = this.#refusal(named);
    const mayAsk = refusal === undefined;
    if (await server.provide(registry, this.#provideOptions(mayAsk)) === undefined) throw refusal!;
    const isThere = registry.has(name);
    // The server may have added the tool after the list was cached.
    if (!isThere && mayAsk) {
      await server.provide(registry, { ...this.#provideOptions(true), isFresh: true });
    }
  }

  /** Calls a tool of a server. */
  async call(
    [server, tool]: [server: string, tool: string],
    args: Record<string, unknown>,
    options: RequestOptions,
  ): Promise<ToolOutput> {
    return await this.#granted(server).call(tool, args, this.#requestOptions(options));
  }

  /** Lists the resources of one server, or of all servers that the flags grant. */
  async resources(named: string | undefined, options: RequestOptions): Promise<McpResources> {
    const asked = this.#requestOptions(options);
    if (named !== undefined) return await this.#granted(named).resources(asked);
    const names = [...this.#config.servers.keys()];
    if (names.length === 0) throw noServer(this.#setup.root);
    const refusals = names.map((name) => this.#refusal(name));
    if (refusals.every((refusal) => refusal !== undefined)) throw refusals[0]!;
    const resources: McpResource[] = [];
    const notes: string[] = [];
    await Promise.all(names.map(async (name) => {
      try {
        const found = await this.#granted(name).resources(asked);
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
    return await this.#granted(server).read(uri, this.#requestOptions(options));
  }

  /** Closes all connections, and ends the programs of servers. Never throws. */
  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
  }

  #provideOptions(mayAsk: boolean) {
    return { mayAsk, isResident: this.#isResident };
  }

  #requestOptions(options: RequestOptions) {
    return { ...options, isResident: this.#isResident };
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
    if (this.#config.servers.size === 0) throw noServer(this.#setup.root, name);
    throw new CallError("unavailable", unknownServer(this.#config, name), { server: name });
  }

  #refusal(server: string): CallError | undefined {
    const permission = { name: "mcp", server } as const;
    const { granted, flag, denied } = decide(permission, this.#setup.grants);
    if (granted) return undefined;
    const why = denied ? `${flag} forbids it` : `needs ${flag}`;
    return new CallError("permission_denied", `Cannot use ${quote(server)}: ${why}`, {
      needs: [{ ...permission, flag, denied }],
    });
  }
}
