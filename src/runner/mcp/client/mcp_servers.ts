import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import type { ResourceContents, ToolOutput } from "../../../base/content.ts";
import type { Registry } from "../../registry/registry.ts";
import type { McpResource, McpResources } from "../../registry/services.ts";
import { decide, type Grants } from "../../sandbox/policy/grants.ts";
import { type Config, readConfig } from "./config.ts";
import type { RequestOptions } from "./connection.ts";
import { ListCache } from "./list_cache.ts";
import { serverIn } from "./tool_names.ts";
import { Server } from "./server.ts";
import { noServer, unknownServer, unknownTool } from "./unknown_names.ts";

/** What the servers are reached with. */
export interface ServersSetup {
  /** The configuration file, where one was named. */
  config?: string;
  /** The call's root folder, a real path. */
  root: string;
  /** The environment of the caller. */
  environment(): Record<string, string>;
  /** What the flags allow. */
  grants: Grants;
  /** The folder of what outlives a call, where one was named. */
  stateDir?: string;
}

/** The MCP servers of the configuration. Nothing is started or reached that the flags do not grant. */
export class McpServers {
  #setup: ServersSetup;
  #config: Config;
  #servers = new Map<string, Server>();
  #isResident = false;

  /** Reads the configuration. Throws `unavailable` for a file that cannot be used. */
  constructor(setup: ServersSetup) {
    this.#setup = setup;
    this.#config = readConfig({
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
      this.#servers.set(name, new Server(config, { root, folder, grants, cache }));
    }
  }

  /** The names of the servers that the configuration has. */
  names(): string[] {
    return [...this.#config.servers.keys()];
  }

  /** From now on connections stay, and the catalogue follows what servers say of their tools. */
  stay(): void {
    this.#isResident = true;
  }

  /**
   * Puts the tools of each server into the catalogue: from the cache, else, where the flags
   * grant it, from the server. Returns what could not be listed, and why.
   */
  async provideAll(registry: Registry): Promise<string[]> {
    const problems = await Promise.all([...this.#config.servers].map(async ([name, config]) => {
      const told = (problem: string) => `MCP server ${quote(name)}: ${problem}`;
      if (config instanceof Error) return [config.message];
      const refusal = this.#refusal(name);
      try {
        const found = await this.#server(name).provide(registry, this.#how(refusal === undefined));
        return found?.map(told) ?? [told(`its tools are not listed: ${refusal!.message}`)];
      } catch (error) {
        return [told((error as Error).message)];
      }
    }));
    return problems.flat();
  }

  /**
   * Puts the tools of the server into the catalogue that the tool of that name is of. Throws
   * when it has to be asked for them and may not be, or does not answer.
   */
  async provide(name: string, registry: Registry): Promise<void> {
    const named = serverIn(name);
    if (named === undefined || !this.#config.servers.has(named)) {
      throw unknownTool({ name, server: named }, { config: this.#config, root: this.#setup.root });
    }
    const server = this.#server(named);
    const refusal = this.#refusal(named);
    const mayAsk = refusal === undefined;
    if (await server.provide(registry, this.#how(mayAsk)) === undefined) throw refusal!;
    const isThere = registry.has(name);
    // The list in the cache may be older than the tool.
    if (!isThere && mayAsk) await server.provide(registry, { ...this.#how(true), isFresh: true });
  }

  /** Calls a tool of a server. */
  async call(
    [server, tool]: [server: string, tool: string],
    args: Record<string, unknown>,
    options: RequestOptions,
  ): Promise<ToolOutput> {
    return await this.#granted(server).call(tool, args, this.#request(options));
  }

  /** The resources of a server, or of all that the flags grant. */
  async resources(named: string | undefined, options: RequestOptions): Promise<McpResources> {
    const asked = this.#request(options);
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

  /** The contents of one resource. */
  async read(
    [server, uri]: [server: string, uri: string],
    options: RequestOptions,
  ): Promise<ResourceContents[]> {
    return await this.#granted(server).read(uri, this.#request(options));
  }

  /** Ends every connection, and the programs of servers. Never throws. */
  async close(): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
  }

  #how(mayAsk: boolean) {
    return { mayAsk, isResident: this.#isResident };
  }

  #request(options: RequestOptions) {
    return { ...options, isResident: this.#isResident };
  }

  #granted(name: string): Server {
    const server = this.#server(name);
    const refusal = this.#refusal(name);
    if (refusal !== undefined) throw refusal;
    return server;
  }

  #server(name: string): Server {
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
