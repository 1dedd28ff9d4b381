import { abortable } from "@std/async/abortable";
import { CallError } from "../../../base/errors.ts";
import { growingRedactor, type Redactor } from "../../../base/text/redact.ts";
import { quote } from "../../../base/text/quote.ts";
import type { ResourceContents, ToolOutput } from "../../../base/content.ts";
import type { CapabilitySetup } from "../../capability/capability.ts";
import type { Registry } from "../../registry/registry.ts";
import type { McpResources } from "../../registry/mcp_service.ts";
import { callOutput, parseContents } from "./answers.ts";
import type { Connection, RequestOptions } from "./connection.ts";
import { type CachedList, readCachedList, writeCachedList } from "./list_cache.ts";
import { parseTools } from "./listed_tool.ts";
import { isLostSession, withoutMark } from "./lost_session.ts";
import { ProgressLimit } from "./progress_limit.ts";
import { ProvidedTools } from "./provided_tools.ts";
import { childrenOf, resourcesIn } from "./resource_lists.ts";
import type { ServerConfig } from "./server_config.ts";
import { refuseWritableCertificates } from "../../sandbox/policy/certificates.ts";
import { allowedRequests } from "./server_requests.ts";
import { serverProgram } from "./server_program.ts";
import { keepOptions, type KeepSetup } from "../kept/keep_order.ts";

/** The time after which a user learns that a server has not answered yet, in milliseconds. */
const NOTICE_MS = 1_000;

/** The pause before tools are listed again after a change, in milliseconds. */
const SETTLE_MS = 300;

/**
 * The call's options that concern one server, and the directory of the configuration. With
 * `isResident` the catalogue is updated when the server changes its tools.
 */
type ServerOptions =
  & Pick<CapabilitySetup, "root" | "grants" | "stateDir" | "config">
  & {
    directory: string;
    isResident: boolean;
    keeps?: KeepSetup;
    mayAskUser?: boolean;
    onWait?(message: string): Promise<void>;
  };

/** The state of a server. */
export interface ServerStatus {
  /** Whether a connection to it is open. */
  isRunning: boolean;
  /** The number of its tools that are known. */
  tools: number;
  /** The end of the stderr of its program. */
  output: string;
}

/** One server: its tools in the catalogue, and its connection, which opens on first use. */
export class McpServer {
  #list: CachedList | undefined;
  /** Its name, and the redaction of its secrets. */
  #source: { server: string; redact: Redactor };
  #provided: ProvidedTools;
  #connection: Promise<Connection> | undefined;
  #open = new Set<Connection>();
  #output = "";
  #settling: ReturnType<typeof setTimeout> | undefined;

  /** Takes its configuration, and starts nothing. */
  constructor(readonly config: ServerConfig, readonly options: ServerOptions) {
    this.#source = { server: config.name, redact: growingRedactor(config.secrets) };
    this.#provided = new ProvidedTools(config);
  }

  /**
   * Adds its tools to the catalogue: from the cached list unless `isFresh`, otherwise from the
   * server if `mayAsk`. Returns messages about problems of its list, or `undefined` if no list is
   * cached and the server may not be asked.
   */
  async provide(
    registry: Registry,
    { mayAsk, isFresh = false }: { mayAsk: boolean; isFresh?: boolean },
  ): Promise<string[] | undefined> {
    if (isFresh) this.#list = undefined;
    else this.#list ??= await readCachedList(this.config, this.options.stateDir);
    if (this.#list === undefined) {
      if (!mayAsk) return undefined;
      await this.#listTools();
    }
    this.#provided.attach(registry);
    return [...this.#list!.problems, ...this.#provided.update(this.#list!.tools)];
  }

  /** Calls one of its tools. */
  async call(
    name: string,
    args: Record<string, unknown>,
    options: RequestOptions,
  ): Promise<ToolOutput> {
    // The time limit does not count the start of the server.
    await this.#connected(options);
    const tool = this.#list?.tools.find((each) => each.tool === name);
    if (tool === undefined) throw new CallError("tool_failed", `Unknown tool ${quote(name)}`);
    const { timeoutMs } = this.config;
    using limit = new ProgressLimit(timeoutMs);
    const signal = AbortSignal.any([options.signal, limit.signal]);
    const onProgress = (line: string) => {
      limit.restart();
      options.onProgress?.(line);
    };
    let used: Connection | undefined;
    let before = "";
    try {
      const result = await this.#ask(options, (connection) => {
        used = connection;
        before = connection.lastUnreadable;
        return connection.call(tool, args, { ...options, signal, onProgress });
      });
      return await callOutput(result, { ...this.#source, tool });
    } catch (error) {
      if (!limit.signal.aborted || options.signal.aborted) throw error;
      const line = used?.lastUnreadable ?? "";
      // The server may have written the line for an earlier call.
      const seen = line === "" || line === before
        ? ""
        : `; the last message of the server that could not be read: ${line}`;
      const message = `Cannot finish ${quote(tool.name)} within ${timeoutMs} ms${seen}`;
      throw new CallError("timeout", message, { tool: tool.name, timeoutMs });
    }
  }

  /** Lists its resources and resource templates. */
  async resources(options: RequestOptions): Promise<McpResources> {
    const [resources, templates] = await this.#ask(options, (it) => it.resources(options));
    return resourcesIn({ resources: [resources], templates: [templates] }, this.#source);
  }

  /** Lists what is directly inside one of its directories. */
  async directory(uri: string, options: RequestOptions): Promise<McpResources> {
    const children = await this.#ask(options, (it) => it.directory(uri, options));
    if (children !== undefined) return resourcesIn({ resources: [children] }, this.#source);
    const { resources, notes } = await this.resources(options);
    return { resources: childrenOf(uri, resources), notes };
  }

  /** Reads one of its resources. */
  async read(uri: string, options: RequestOptions): Promise<ResourceContents[]> {
    return parseContents(await this.#ask(options, (it) => it.read(uri, options)));
  }

  /** Its connection, the number of its tools and the end of its stderr. Starts nothing. */
  status(): ServerStatus {
    for (const { output } of this.#open) this.#output = output || this.#output;
    const isRunning = [...this.#open].some(({ isOpen }) => isOpen);
    return { isRunning, tools: this.#list?.tools.length ?? 0, output: this.#output };
  }

  /** Closes its connections. Never throws. */
  async close(): Promise<void> {
    clearTimeout(this.#settling);
    await Promise.all([...this.#open].map((connection) => connection.close()));
  }

  async #listTools(): Promise<void> {
    const { signal } = new AbortController();
    const [{ items, cut }, era] = await this.#ask(
      { signal },
      async (connection) => [await connection.tools(), connection.era ?? "legacy"] as const,
    );
    const { place } = this.config;
    const takesHeaders = era === "modern" && place.type !== "stdio";
    const { tools, problems } = parseTools(items, { ...this.#source, takesHeaders });
    this.#list = { era, tools, problems: [...problems, ...(cut === undefined ? [] : [cut])] };
    await writeCachedList(this.config, this.#list, this.options.stateDir);
  }

  /**
   * Asks the server. If it has forgotten the session, asks once more in a new one, as MCP demands
   * ("Session Management" of the Streamable HTTP transport).
   */
  async #ask<T>(
    options: RequestOptions,
    ask: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    for (let isFirst = true;; isFirst = false) {
      const connection = await this.#connected(options);
      try {
        return await ask(connection);
      } catch (error) {
        if (!isLostSession(error)) throw error;
        this.#leave(connection);
        if (!isFirst) throw withoutMark(error);
      }
    }
  }

  /** Lets further calls open a new connection. */
  #leave(connection: Connection): void {
    this.#output = connection.output || this.#output;
    if (this.#open.delete(connection)) this.#connection = undefined;
  }

  /** Connects, or rejects when the call ends before. */
  async #connected({ signal }: RequestOptions): Promise<Connection> {
    signal.throwIfAborted();
    return await abortable(this.#connect(), signal);
  }

  /** Shares one connection between calls, and opens a new one if it has ended or failed. */
  #connect(): Promise<Connection> {
    return this.#connection ??= this.#openConnection().catch((error) => {
      this.#connection = undefined;
      throw error;
    });
  }

  async #openConnection(): Promise<Connection> {
    const { place } = this.config;
    const program = place.type === "stdio" ? serverProgram(place, this.options) : undefined;
    if (program === undefined) refuseWritableCertificates(this.options.grants);
    const keep = program && keepOptions(this.config, program, this.options);
    const { Connection } = await import("./connection.ts");
    const connection = new Connection(this.config, allowedRequests(this.options, this.config));
    this.#open.add(connection);
    const forget = () => this.#leave(connection);
    const notice = setTimeout(() => void this.options.onWait?.(this.#waitMessage()), NOTICE_MS);
    try {
      await connection.open({
        ...(program && { program }),
        setup: this.options,
        ...(keep && { keep }),
        ...(this.#list && { era: this.#list.era }),
        ...(this.options.isResident && { onToolsChanged: () => this.#relistTools() }),
        onClose: forget,
      });
    } finally {
      clearTimeout(notice);
      if (!connection.isOpen) forget();
    }
    return connection;
  }

  /** A program or a host that has not answered may be slow, or ignore what it does not know. */
  #waitMessage(): string {
    const { name, startMs } = this.config;
    const requests = this.#list?.era === "legacy"
      ? '"initialize"'
      : '"server/discover" or "initialize"';
    return `Waiting for the MCP server ${quote(name)} to answer ${requests}, at most ` +
      `${startMs / 1_000} s`;
  }

  /** Lists the tools again after a pause, however many changes the server announces meanwhile. */
  #relistTools(): void {
    this.#settling ??= setTimeout(async () => {
      this.#settling = undefined;
      try {
        await this.#listTools();
        this.#provided.update(this.#list!.tools);
      } catch {
        // Its earlier tools remain until it answers.
      }
    }, SETTLE_MS);
    Deno.unrefTimer(this.#settling);
  }
}
