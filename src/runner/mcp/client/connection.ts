import {
  type CallToolResult,
  type Client,
  type ProtocolEra,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { CallError } from "../../../base/errors.ts";
import { delay } from "@std/async/delay";
import { growingRedactor, type Redactor } from "../../../base/text/redact.ts";
import { quote } from "../../../base/text/quote.ts";
import { anyValue } from "../any_value.ts";
import { callTool } from "./call_tool.ts";
import { connectionError, unreadableMessage } from "./connection_error.ts";
import { connect, type ConnectOptions, isOfProgram, NO_LIMIT_MS } from "./connect.ts";
import type { ListedTool } from "./listed_tool.ts";
import { isLostSession } from "./lost_session.ts";
import { readsDirectories } from "./resource_lists.ts";
import { fetchAllPages, type ItemList } from "./answers.ts";
import type { ServerConfig } from "./server_config.ts";
import { type AllowedRequests, RequestDesk, type ServerRequests } from "./server_requests.ts";

/** The time that a remote server has to end a session, in milliseconds. */
const LEAVE_MS = 1_000;

/** The signal and the listener of one request. */
export interface RequestOptions {
  /** Cancels the request. */
  signal: AbortSignal;
  /** Called with each report of its progress. */
  onProgress?(line: string): void;
  /** Passes requests of the server on. Without it, they are refused. */
  requests?: ServerRequests;
}

/** The options of a list. A directory has a URI. */
type ListOptions = RequestOptions & { uri?: string };

type OpenOptions = Omit<ConnectOptions, "desk" | "onTransport"> & { onClose(): void };

/** A connection to a server. Its methods throw a `CallError` or the reason of an aborted signal. */
export class Connection {
  #redact: Redactor;
  #desk: RequestDesk;
  #client: Client | undefined;
  #transport: Transport | undefined;
  #isClosed = false;
  /** False after the server has said that it does not know the session any more. */
  #hasSession = true;
  #running = 0;
  /** Why the last unreadable message of a stream from an address could not be read. */
  #unreadable = "";

  /** Takes the server and what it may request; `open` connects. */
  constructor(readonly server: ServerConfig, allowed: AllowedRequests) {
    this.#desk = new RequestDesk(server.name, allowed);
    this.#redact = growingRedactor(server.secrets);
  }

  /** The era of the protocol that both sides use. */
  get era(): ProtocolEra | undefined {
    return this.#client?.getProtocolEra();
  }

  /** The end of the stderr of the server's program so far. */
  get output(): string {
    return isOfProgram(this.#transport) ? this.#transport.output() : "";
  }

  /** The last line or message of the server that could not be read; empty without one. */
  get lastUnreadable(): string {
    return isOfProgram(this.#transport) ? this.#transport.lastUnreadable : this.#unreadable;
  }

  /** True while it is open. */
  get isOpen(): boolean {
    return this.#client?.transport !== undefined;
  }

  /** Starts or reaches the server, and initialises the connection. Throws `unavailable`. */
  async open({ onClose, ...options }: OpenOptions): Promise<void> {
    const { startMs } = this.server;
    const signal = AbortSignal.timeout(startMs);
    try {
      const onTransport = (transport: Transport) => {
        if (this.#isClosed) throw new Error("Not connected");
        this.#transport = transport;
      };
      this.#client = await connect(
        this.server,
        { ...options, desk: this.#desk, onTransport },
        signal,
      );
      this.#client.onclose = onClose;
      this.#client.onerror = (error) =>
        this.#unreadable = unreadableMessage(error, this.#redact) ?? this.#unreadable;
    } catch (error) {
      const failure = signal.aborted && !this.#isClosed
        ? new SdkError(SdkErrorCode.RequestTimeout, "Timed out")
        : error;
      const explained = await this.#explain(failure, "connect", startMs);
      await this.close();
      throw explained;
    }
  }

  /** Lists the tools of the server. */
  async tools(): Promise<ItemList> {
    if (this.#client?.getServerCapabilities()?.tools === undefined) return { items: [] };
    const signal = AbortSignal.timeout(this.server.startMs);
    return await this.#list("tools/list", "tools", { signal });
  }

  /** Lists the resources and resource templates of the server. */
  async resources(options: RequestOptions): Promise<[resources: ItemList, templates: ItemList]> {
    const none: ItemList = { items: [] };
    if (this.#client?.getServerCapabilities()?.resources === undefined) return [none, none];
    const resources = await this.#list("resources/list", "resources", options);
    try {
      const method = "resources/templates/list";
      return [resources, await this.#list(method, "resourceTemplates", options)];
    } catch (error) {
      // A server without templates need not implement the method.
      if (error instanceof CallError && error.code === "tool_failed") return [resources, none];
      throw error;
    }
  }

  /** Lists what is directly inside a directory; `undefined` if the server does not offer this. */
  async directory(uri: string, options: RequestOptions): Promise<ItemList | undefined> {
    if (!readsDirectories(this.#client?.getServerCapabilities())) return undefined;
    return await this.#list("resources/directory/read", "resources", { ...options, uri });
  }

  /** Calls a tool. */
  async call(
    tool: ListedTool,
    args: Record<string, unknown>,
    options: RequestOptions,
  ): Promise<CallToolResult> {
    const close = this.#desk.open(options.requests);
    return await this.#ask(
      `call ${quote(tool.tool)}`,
      { signal: options.signal, isCall: true },
      (client, sdkOptions) =>
        callTool(client, [tool, args], {
          ...{ ...options, ...sdkOptions },
          ...{ desk: this.#desk, timeoutMs: this.server.timeoutMs },
        }),
    ).finally(close);
  }

  /** Reads a resource, and returns its contents unchanged. */
  async read(uri: string, { signal }: RequestOptions): Promise<unknown[]> {
    const { contents } = await this.#ask(
      `read ${quote(uri)}`,
      { signal },
      (client, sdkOptions) => client.readResource({ uri }, { ...sdkOptions, cacheMode: "bypass" }),
    );
    return contents;
  }

  /** Closes the connection, and ends the program if the server is one. Never throws. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const transport = this.#transport;
    if (transport instanceof StreamableHTTPClientTransport && this.#hasSession) {
      await Promise.race([transport.terminateSession().catch(() => {}), delay(LEAVE_MS)]);
    }
    await this.#client?.close().catch(() => {});
    await transport?.close().catch(() => {});
  }

  #list(method: string, key: string, { signal, uri }: ListOptions): Promise<ItemList> {
    return this.#ask(
      uri === undefined ? `list its ${key}` : `list the directory ${quote(uri)}`,
      { signal },
      (client, sdkOptions) =>
        fetchAllPages(key, (cursor) => {
          const params = { ...(uri !== undefined && { uri }), ...(cursor && { cursor }) };
          // The items are validated one by one later, so that an invalid one does not fail the list.
          return client.request({ method, params }, anyValue, sdkOptions);
        }),
    );
  }

  async #ask<T>(
    action: string,
    { signal, isCall = false }: { signal: AbortSignal; isCall?: boolean },
    ask: (client: Client, sdkOptions: { signal: AbortSignal; timeout: number }) => Promise<T>,
  ): Promise<T> {
    const began = Date.now();
    this.#running++;
    try {
      if (this.#client === undefined) throw new Error("Not connected");
      return await ask(this.#client, { signal, timeout: NO_LIMIT_MS });
    } catch (error) {
      const { aborted, reason } = signal;
      if (aborted && reason instanceof DOMException && reason.name === "TimeoutError") {
        const late = new SdkError(SdkErrorCode.RequestTimeout, "Timed out");
        throw await this.#explain(late, action, Date.now() - began);
      }
      if (aborted) throw reason;
      const explained = await this.#explain(error, action, Date.now() - began, isCall);
      if (isLostSession(explained)) this.#hasSession = false;
      throw explained;
    } finally {
      this.#running--;
      if (!this.#hasSession && this.#running === 0) void this.close();
    }
  }

  #explain(error: unknown, action: string, waitedMs: number, isCall = false) {
    const transport = this.#transport;
    return connectionError(error, {
      ...{ server: this.server.name, action, redact: this.#redact, waitedMs, isCall },
      isConnecting: action === "connect" && this.server.place.type !== "stdio",
      hasSession: action !== "connect" && transport instanceof StreamableHTTPClientTransport &&
        transport.sessionId !== undefined,
      exitReason: async () => isOfProgram(transport) ? await transport.exitReason() : "",
    });
  }
}
