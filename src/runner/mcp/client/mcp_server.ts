import { CallError } from "../../../base/errors.ts";
import { type Redactor, redactor } from "../../../base/text/redact.ts";
import { quote } from "../../../base/text/quote.ts";
import type { ResourceContents, ToolOutput } from "../../../base/content.ts";
import type { Registry } from "../../registry/registry.ts";
import type { McpResources } from "../../registry/services.ts";
import type { Grants } from "../../sandbox/policy/grants.ts";
import { callOutput } from "./call_output.ts";
import type { Connection, RequestOptions } from "./connection.ts";
import type { CachedList, ListCache } from "./list_cache.ts";
import { parseTools } from "./listed_tool.ts";
import { parseContents, parseResources } from "./lists.ts";
import { ProvidedTools } from "./provided_tools.ts";
import type { ServerConfig } from "./server_config.ts";
import { refuseWritableCertificates } from "../../sandbox/policy/certificates.ts";
import { serverProgram } from "./server_program.ts";

/** The pause before tools are listed again after a change, in milliseconds. */
const SETTLE_MS = 300;

/** The call's options that concern one server. */
export interface ServerOptions {
  /** The call's root directory. */
  root: string;
  /** The directory of the configuration. */
  folder: string;
  /** The permission flags. */
  grants: Grants;
  /** The cache of tool lists. */
  cache: ListCache;
}

/** How tools are added to the catalogue. */
export interface ProvideOptions {
  /** True if the server may be started or reached. */
  mayAsk: boolean;
  /** True to ignore the cached list. */
  isFresh?: boolean;
  /** True to update the catalogue when the server changes its tools. */
  isResident: boolean;
}

/** The options of one request, and whether the connection stays open for later ones. */
type ServerRequestOptions = RequestOptions & { isResident: boolean };

/** One server: its tools in the catalogue, and its connection, which opens on first use. */
export class McpServer {
  #config: ServerConfig;
  #options: ServerOptions;
  #list: CachedList | undefined;
  #redact: Redactor;
  #provided: ProvidedTools;
  #connection: Promise<Connection> | undefined;
  #open = new Set<Connection>();
  #settling: ReturnType<typeof setTimeout> | undefined;

  /** Takes its configuration, and starts nothing. */
  constructor(config: ServerConfig, options: ServerOptions) {
    this.#config = config;
    this.#options = options;
    this.#redact = redactor(config.secrets);
    this.#provided = new ProvidedTools(config);
  }

  /**
   * Adds its tools to the catalogue. Returns messages about problems of its list, or `undefined` if
   * no list is cached and the server may not be asked.
   */
  async provide(registry: Registry, options: ProvideOptions): Promise<string[] | undefined> {
    if (options.isFresh) this.#list = undefined;
    else this.#list ??= await this.#options.cache.read(this.#config);
    if (this.#list === undefined) {
      if (!options.mayAsk) return undefined;
      await this.#ask(options);
    }
    this.#provided.attach(registry);
    return [...this.#list!.problems, ...this.#provided.update(this.#list!.tools)];
  }

  /** Calls one of its tools. */
  async call(
    name: string,
    args: Record<string, unknown>,
    options: ServerRequestOptions,
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
      return await callOutput(result, { server, tool, redact: this.#redact });
    } catch (error) {
      if (!limit.aborted || options.signal.aborted) throw error;
      const message = `Cannot finish ${quote(tool.name)} within ${timeoutMs} ms`;
      throw new CallError("timeout", message, { tool: tool.name, timeoutMs });
    }
  }

  /** Lists its resources and resource templates. */
  async resources(options: ServerRequestOptions): Promise<McpResources> {
    const connection = await this.#connected(options);
    const [resources, templates] = await connection.resources(options);
    const of = { server: this.#config.name, redact: this.#redact };
    return {
      resources: [
        ...parseResources(resources.items, { ...of, isTemplate: false }),
        ...parseResources(templates.items, { ...of, isTemplate: true }),
      ],
      notes: [resources.cut, templates.cut].flatMap((cut) =>
        cut === undefined ? [] : `MCP server ${quote(of.server)}: ${cut}`
      ),
    };
  }

  /** Reads one of its resources. */
  async read(uri: string, options: ServerRequestOptions): Promise<ResourceContents[]> {
    return parseContents(await (await this.#connected(options)).read(uri, options));
  }

  /** Closes its connections. Never throws. */
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
    const { tools, problems } = parseTools(items, {
      server,
      redact: this.#redact,
      takesHeaders,
    });
    this.#list = { era, tools, problems: [...problems, ...(cut === undefined ? [] : [cut])] };
    await this.#options.cache.write(this.#config, this.#list);
  }

  /** Connects, or rejects when the call ends before. */
  async #connected({ signal, isResident }: ServerRequestOptions): Promise<Connection> {
    signal.throwIfAborted();
    return await new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      this.#connect(isResident).then(resolve, reject);
    });
  }

  /** Shares one connection between calls, and opens a new one if it has ended or failed. */
  #connect(isResident: boolean): Promise<Connection> {
    return this.#connection ??= this.#openConnection(isResident).catch((error) => {
      this.#connection = undefined;
      throw error;
    });
  }

  async #openConnection(isResident: boolean): Promise<Connection> {
    const { place } = this.#config;
    const program = place.type === "stdio" ? serverProgram(place, this.#options) : undefined;
    if (program === undefined) refuseWritableCertificates(this.#options.grants);
    const { Connection } = await import("./connection.ts");
    const connection = new Connection(this.#config);
    this.#open.add(connection);
    const forget = () => {
      this.#open.delete(connection);
      this.#connection = undefined;
    };
    try {
      await connection.open({
        ...(program && { program }),
        ...(this.#list && { era: this.#list.era }),
        isResident,
        onToolsChanged: () => this.#relistTools(),
        onClose: forget,
      });
    } finally {
      if (!connection.isOpen) forget();
    }
    return connection;
  }

  /** Lists the tools again after a pause, however many changes the server announces meanwhile. */
  #relistTools(): void {
    this.#settling ??= setTimeout(async () => {
      this.#settling = undefined;
      try {
        await this.#ask({ isResident: true });
        this.#provided.update(this.#list!.tools);
      } catch {
        // Its earlier tools remain until it answers.
      }
    }, SETTLE_MS);
    Deno.unrefTimer(this.#settling);
  }
}
