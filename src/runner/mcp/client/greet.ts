import {
  Client,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { version } from "../../../base/version.ts";
import { boundedFetch } from "./bounded_fetch.ts";
import { redactor } from "../../../base/text/redact.ts";
import type { RemoteServer, ServerConfig } from "./server_config.ts";
import { type ServerProgram, StdioTransport } from "./stdio_transport.ts";

/** Of the two ways to begin, the one that a server knows. */
export type Era = "legacy" | "modern";

/** What carries the messages. */
export type Wire = StdioTransport | StreamableHTTPClientTransport | SSEClientTransport;

/** How to connect. */
export interface GreetOptions {
  /** The program to start, of a server that is one. */
  program?: Omit<ServerProgram, "mask">;
  /** The way to begin that is known from before. */
  era?: Era;
  /** Whether to be told of changes of the tools, which may take a request. */
  isResident: boolean;
  /** Told when the server says that its tools have changed. */
  onToolsChanged(): void;
  /** Told what carries the messages before it is opened; the last one counts. */
  onWire(wire: Wire): void;
}

/** A request ends by its signal: the library's own limit is never reached. */
export const NO_LIMIT_MS = 2 ** 31 - 1;

/** How long a server may take to answer the question which way it knows, in milliseconds. */
const PROBE_MS = 5_000;

/** What a program's end at that question is told by. */
const ENDED_AT_PROBE = /closed during the server\/discover probe/;

/** Starts a server, or reaches it, and greets it in the way that it knows. Throws the library's errors. */
export async function greet(
  server: ServerConfig,
  options: GreetOptions,
  signal: AbortSignal,
): Promise<Client> {
  const { place } = server;
  if (place.type === "stdio") return await greetProgram(server, options, signal);
  if (place.type === "sse") return await connect(sse(place), options, signal);
  try {
    return await connect(http(place), options, signal);
  } catch (error) {
    const isOld = place.type === "any" && error instanceof SdkHttpError &&
      [400, 404, 405].includes(error.status ?? 0);
    if (!isOld) throw error;
    // What knows only the older transport refuses the newer one; of what refuses both that is told.
    return await connect(sse(place), { ...options, era: "legacy" }, signal)
      .catch(() => Promise.reject(error));
  }
}

/** Some programs end at the question which way they know: these are started once more. */
async function greetProgram(
  { secrets }: ServerConfig,
  options: GreetOptions,
  signal: AbortSignal,
): Promise<Client> {
  const start = () => new StdioTransport({ ...options.program!, mask: redactor(secrets) });
  try {
    return await connect(start(), options, signal);
  } catch (error) {
    const isOld = ENDED_AT_PROBE.test((error as Error).message) && options.era === undefined;
    if (!isOld || signal.aborted) throw error;
    return await connect(start(), { ...options, era: "legacy" }, signal);
  }
}

async function connect(wire: Wire, options: GreetOptions, signal: AbortSignal): Promise<Client> {
  options.onWire(wire);
  const changed = { autoRefresh: false, onChanged: () => options.onToolsChanged() };
  const client = new Client({ name: "toolcall", version }, {
    versionNegotiation: { mode: "auto", probe: { timeoutMs: PROBE_MS } },
    inputRequired: { autoFulfill: false },
    // The library's own would compile foreign schemas.
    jsonSchemaValidator: { getValidator: unused },
    ...(options.isResident && { listChanged: { tools: changed } }),
  });
  const connected = client.connect(wire, {
    signal,
    timeout: NO_LIMIT_MS,
    ...(options.era === "legacy" && { prior: { kind: "legacy" as const } }),
  });
  connected.catch(() => {});
  await Promise.race([connected, aborted(signal)]);
  return client;
}

function http({ url, headers }: RemoteServer): StreamableHTTPClientTransport {
  const requestInit = { headers: { ...headers } };
  return new StreamableHTTPClientTransport(new URL(url), { requestInit, fetch: boundedFetch });
}

function sse({ url, headers }: RemoteServer): SSEClientTransport {
  const requestInit = { headers: { ...headers } };
  return new SSEClientTransport(new URL(url), { requestInit, fetch: boundedFetch });
}

function unused(): never {
  throw new Error("No schema is compiled here");
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
