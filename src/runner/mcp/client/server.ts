import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import type { ResourceContents, ToolOutput } from "../../../base/content.ts";
import type { Registry } from "../../registry/registry.ts";
import type { McpResources } from "../../registry/services.ts";
import type { Grants } from "../../sandbox/policy/grants.ts";
import { callOutput } from "./call_output.ts";
import type { Connection, RequestOptions } from "./connection.ts";
import type { CachedList, ListCache } from "./list_cache.ts";
import { toolList } from "./listed_tool.ts";
import { ProvidedTools } from "./provided_tools.ts";
import { contentsOf, resourcesOf } from "./resource_list.ts";
import { redactor } from "../../../base/text/redact.ts";
import type { ServerConfig } from "./server_config.ts";
import { refuseWritableCertificates } from "../../sandbox/policy/certificates.ts";
import { serverProgram } from "./server_program.ts";

/** How long a server may go on to say that its tools have changed before they are listed anew. */
const SETTLE_MS = 300;

/** What a server is reached with. */
export interface ServerPlace {
  /** The call's root folder. */
  root: string;
  /** The folder of the configuration. */
  folder: string;
  /** What the flags allow. */
  grants: Grants;
  /** Where lists of tools are kept. */
  cache: ListCache;
}

/** How tools are put into the catalogue. */
export interface ProvideOptions {
  /** Whether the server may be started and asked. */
  mayAsk: boolean;
  /** Whether the list in the cache does not do. */
  isFresh?: boolean;
  /** Whether the catalogue is to follow changes. */
  isResident: boolean;
}

/** One server: its tools in the catalogue, and its connection, which is made when it is needed. */
export class Server {
  #config: ServerConfig;
  #place: ServerPlace;
  #list: CachedList | undefined;
  #provided: ProvidedTools;
  #connection: Promise<Connection> | undefined;
  #open = new Set<Connection>();
  #settling: ReturnType<typeof setTimeout> | undefined;

  /** Takes the configuration of it; nothing is started. */
  constructor(config: ServerConfig, place: ServerPlace) {
    this.#config = config;
    this.#place = place;
    this.#provided = new ProvidedTools(config);
  }

  /**
   * Puts its tools into the catalogue. Returns what is wrong with its list; `undefined` when
   * there is none and the server may not be asked.
   */
  async provide(registry: Registry, options: ProvideOptions): Promise<string[] | undefined> {
    if (options.isFresh) this.#list = undefined;
    else this.#list ??= await this.#place.cache.read(this.#config);
    if (this.#list === undefined) {
      if (!options.mayAsk) return undefined;
      await this.#ask(options);
    }
    this.#provided.use(registry);
    return [...this.#list!.problems, ...this.#provided.follow(this.#list!.tools)];
  }

  /** Calls one of its tools. */
  async call(
    name: string,
    args: Record<string, unknown>,
    options: RequestOptions & { isResident: boolean },
  ): Promise<ToolOutput> {
    const connection = await this.#connected(options);
    const tool = this.#list?.tools.find((each) => each.tool === name);
    if (tool === undefined) throw new CallError("tool_failed", `Unknown tool ${quote(name)}`);
    const { name: server, timeoutMs } = this.#config;
    const limit = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([options.signal, limit]);
    try {
      const { inputSchema } = tool;
      const result = await connection.call({ name, inputSchema }, args, { ...options, signal });
      return await callOutput(result, { server, tool, mask: this.#mask() });
    } catch (error) {
      if (!limit.aborted || options.signal.aborted) throw error;
      const message = `Cannot finish ${quote(tool.name)} within ${timeoutMs} ms`;
      throw new CallError("timeout", message, { tool: tool.name, timeoutMs });
    }
  }

  /** Its resources and templates. */
  async resources(options: RequestOptions & { isResident: boolean }): Promise<McpResources> {
    const connection = await this.#connected(options);
    const [resources, templates] = await connection.resources(options);
    const of = { server: this.#config.name, mask: this.#mask() };
    return {
      resources: [
        ...resourcesOf(resources.items, { ...of, isTemplate: false }),
        ...resourcesOf(templates.items, { ...of, isTemplate: true }),
      ],
      notes: [resources.cut, templates.cut].flatMap((cut) =>
        cut === undefined ? [] : `MCP server ${quote(of.server)}: ${cut}`
      ),
    };
  }

  /** The contents of one of its resources. */
  async read(
    uri: string,
    options: RequestOptions & { isResident: boolean },
  ): Promise<ResourceContents[]> {
    return contentsOf(await (await this.#connected(options)).read(uri, options));
  }

  /** Ends its connection. Never throws. */
  async close(): Promise<void> {
    clearTimeout(this.#settling);
    await Promise.all([...this.#open].map((connection) => connection.close()));
  }

  async #ask(options: { isResident: boolean }): Promise<void> {
    const connection = await this.#connect(options.isResident);
    const { items, cut } = await connection.tools();
    const { name: server, place } = this.#config;
    const era = connection.era ?? "legacy";
    const takesHeaders = era === "modern" && place.type !== "stdio";
    const { tools, problems } = toolList(items, { server, mask: this.#mask(), takesHeaders });
    this.#list = { era, tools, problems: [...problems, ...(cut === undefined ? [] : [cut])] };
    await this.#place.cache.write(this.#config, this.#list);
  }

  /** The connection, unless the call ends before there is one. */
  async #connected(
    { signal, isResident }: { signal: AbortSignal; isResident: boolean },
  ): Promise<Connection> {
    signal.throwIfAborted();
    return await new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      this.#connect(isResident).then(resolve, reject);
    });
  }

  /** One connection for all; when it has ended, or could not be made, the next call makes another. */
  #connect(isResident: boolean): Promise<Connection> {
    return this.#connection ??= this.#make(isResident).catch((error) => {
      this.#connection = undefined;
      throw error;
    });
  }

  async #make(isResident: boolean): Promise<Connection> {
    const { place } = this.#config;
    const program = place.type === "stdio" ? serverProgram(place, this.#place) : undefined;
    if (program === undefined) refuseWritableCertificates(this.#place.grants);
    const { Connection } = await import("./connection.ts");
    const connection = new Connection(this.#config);
    this.#open.add(connection);
    const gone = () => {
      this.#open.delete(connection);
      this.#connection = undefined;
    };
    try {
      await connection.open({
        ...(program && { program }),
        ...(this.#list && { era: this.#list.era }),
        isResident,
        onToolsChanged: () => this.#changed(),
        onClose: gone,
      });
    } finally {
      if (!connection.isOpen) gone();
    }
    return connection;
  }

  /** However often a server says so, its tools are listed once in a while. */
  #changed(): void {
    this.#settling ??= setTimeout(async () => {
      this.#settling = undefined;
      try {
        await this.#ask({ isResident: true });
        this.#provided.follow(this.#list!.tools);
      } catch {
        // What it had before stays until it answers.
      }
    }, SETTLE_MS);
    Deno.unrefTimer(this.#settling);
  }

  #mask() {
    return redactor(this.#config.secrets);
  }
}
