import {
  type CallToolResult,
  type Client,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { CallError } from "../../../base/errors.ts";
import { delay } from "@std/async/delay";
import { quote } from "../../../base/text/quote.ts";
import { connectionError } from "./connection_error.ts";
import { type Era, greet, type GreetOptions, NO_LIMIT_MS, type Wire } from "./greet.ts";
import { type Listed, listed } from "./pages.ts";
import { type Redactor, redactor } from "../../../base/text/redact.ts";
import type { ServerConfig } from "./server_config.ts";
import { StdioTransport } from "./stdio_transport.ts";

/** How long a server at an address may take to hear that a session ends, in milliseconds. */
const LEAVE_MS = 1_000;
/** What goes with one request. */
export interface RequestOptions {
  /** Ends it. */
  signal: AbortSignal;
  /** Told how far it is. */
  onProgress?(line: string): void;
}

/** A connection to a server. Its methods throw a `CallError`, or the reason of an aborted signal. */
export class Connection {
  #server: ServerConfig;
  #mask: Redactor;
  #client: Client | undefined;
  #wire: Wire | undefined;
  #isClosed = false;

  /** Takes the server; `open` connects. */
  constructor(server: ServerConfig) {
    this.#server = server;
    this.#mask = redactor(server.secrets);
  }

  /** The way in which it began. */
  get era(): Era | undefined {
    return this.#client?.getProtocolEra();
  }

  /** Whether it has not ended. */
  get isOpen(): boolean {
    return this.#client?.transport !== undefined;
  }

  /** Starts the server, or reaches it, and greets it. Throws `unavailable`. */
  async open(options: Omit<GreetOptions, "onWire"> & { onClose(): void }): Promise<void> {
    const { startMs } = this.#server;
    const signal = AbortSignal.timeout(startMs);
    try {
      const onWire = (wire: Wire) => {
        if (this.#isClosed) throw new Error("Not connected");
        this.#wire = wire;
      };
      this.#client = await greet(this.#server, { ...options, onWire }, signal);
      this.#client.onclose = () => options.onClose();
    } catch (error) {
      const failure = signal.aborted && !this.#isClosed
        ? new SdkError(SdkErrorCode.RequestTimeout, "Timed out")
        : error;
      const explained = await this.#explained(failure, "connect", startMs);
      await this.close();
      throw explained;
    }
  }

  /** Its tools. */
  async tools(): Promise<Listed> {
    if (this.#client?.getServerCapabilities()?.tools === undefined) return { items: [] };
    return await this.#list("tools/list", "tools", this.#limited());
  }

  /** Its resources and its templates of such; none of a server that offers none. */
  async resources(options: RequestOptions): Promise<[resources: Listed, templates: Listed]> {
    const none: Listed = { items: [] };
    if (this.#client?.getServerCapabilities()?.resources === undefined) return [none, none];
    const resources = await this.#list("resources/list", "resources", options);
    try {
      const method = "resources/templates/list";
      return [resources, await this.#list(method, "resourceTemplates", options)];
    } catch (error) {
      // Servers that have none need not know the method.
      if (error instanceof CallError && error.code === "tool_failed") return [resources, none];
      throw error;
    }
  }

  /** Calls a tool. */
  async call(
    { name, inputSchema }: { name: string; inputSchema: Record<string, unknown> },
    args: Record<string, unknown>,
    { signal, onProgress }: RequestOptions,
  ): Promise<CallToolResult> {
    return await this.#ask(
      `call ${quote(name)}`,
      { signal, isCall: true },
      (client) =>
        client.callTool({ name, arguments: args }, {
          signal,
          timeout: NO_LIMIT_MS,
          // Of its input some servers want a copy in the header; what it returns is checked elsewhere.
          toolDefinition: { name, inputSchema: { ...inputSchema, type: "object" } },
          onprogress: ({ progress, total, message }) => {
            const done = total === undefined ? String(progress) : `${progress}/${total}`;
            onProgress?.(message === undefined ? done : `${done} ${message}`);
          },
        }) as Promise<CallToolResult>,
    );
  }

  /** The contents of a resource, as they came. */
  async read(uri: string, { signal }: RequestOptions): Promise<unknown[]> {
    const { contents } = await this.#ask(
      `read ${quote(uri)}`,
      { signal },
      (client) =>
        client.readResource({ uri }, { signal, timeout: NO_LIMIT_MS, cacheMode: "bypass" }),
    );
    return contents;
  }

  /** Ends the connection, and the program if there is one. Never throws. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const wire = this.#wire;
    if (wire instanceof StreamableHTTPClientTransport) {
      await Promise.race([wire.terminateSession().catch(() => {}), delay(LEAVE_MS)]);
    }
    await this.#client?.close().catch(() => {});
    await wire?.close().catch(() => {});
  }

  #limited(): RequestOptions {
    return { signal: AbortSignal.timeout(this.#server.startMs) };
  }

  #list(method: string, key: string, { signal }: RequestOptions): Promise<Listed> {
    return this.#ask(`list its ${key}`, { signal }, (client) =>
      listed(key, (cursor) => {
        const params = cursor === undefined ? {} : { cursor };
        // One item that is not what it should be does not spoil the others.
        return client.request({ method, params }, anything, { signal, timeout: NO_LIMIT_MS });
      }));
  }

  async #ask<T>(
    action: string,
    { signal, isCall = false }: { signal: AbortSignal; isCall?: boolean },
    ask: (client: Client) => Promise<T>,
  ): Promise<T> {
    const began = Date.now();
    try {
      if (this.#client === undefined) throw new Error("Not connected");
      return await ask(this.#client);
    } catch (error) {
      const { aborted, reason } = signal;
      if (aborted && this.#isTooLate(reason)) {
        const late = new SdkError(SdkErrorCode.RequestTimeout, "Timed out");
        throw await this.#explained(late, action, Date.now() - began);
      }
      if (aborted) throw reason;
      throw await this.#explained(error, action, Date.now() - began, isCall);
    }
  }

  #isTooLate(reason: unknown): boolean {
    return reason instanceof DOMException && reason.name === "TimeoutError";
  }

  #explained(error: unknown, action: string, waitedMs: number, isCall = false) {
    const wire = this.#wire;
    return connectionError(error, {
      ...{ server: this.#server.name, action, mask: this.#mask, waitedMs, isCall },
      isConnecting: action === "connect" && this.#server.place.type !== "stdio",
      epitaph: async () => wire instanceof StdioTransport ? await wire.epitaph() : "",
    });
  }
}

/** Takes every result as it is. */
const anything = {
  "~standard": {
    version: 1 as const,
    vendor: "toolcall",
    validate: (value: unknown) => ({ value }),
  },
};
