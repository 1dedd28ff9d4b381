import {
  Client,
  type ProtocolEra,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { redactor } from "../../../base/text/redact.ts";
import { version } from "../../../base/version.ts";
import { boundedFetch } from "./bounded_fetch.ts";
import type { RemoteServer, ServerConfig } from "./server_config.ts";
import { type ServerProgram, StdioTransport } from "./stdio_transport.ts";

/** How to connect. */
export interface ConnectOptions {
  /** The program to start; only for a server that is a program. */
  program?: Omit<ServerProgram, "redact">;
  /** The server's era of the protocol, if it is known from an earlier connection. */
  era?: ProtocolEra;
  /** True to subscribe to changes of the tools, which can take a request. */
  isResident: boolean;
  /** Called when the server announces that its tools have changed. */
  onToolsChanged(): void;
  /** Called with each transport before it is opened; the last one is used. */
  onTransport(transport: Transport): void;
}

/** Requests end by their signals: this timeout is so long that the SDK's own never fires. */
export const NO_LIMIT_MS = 2 ** 31 - 1;

/** The time that a server has to answer the probe for its era, in milliseconds. */
const PROBE_MS = 5_000;

/** The SDK's error for a program that exits at the probe. */
const ENDED_AT_PROBE = /closed during the server\/discover probe/;

/** Starts or reaches a server and initialises the connection. Throws the SDK's errors. */
export async function connect(
  server: ServerConfig,
  options: ConnectOptions,
  signal: AbortSignal,
): Promise<Client> {
  const { place } = server;
  if (place.type === "stdio") return await connectProgram(server, options, signal);
  if (place.type === "sse") return await openClient(sse(place), options, signal);
  try {
    return await openClient(http(place), options, signal);
  } catch (error) {
    const isOld = place.type === "any" && error instanceof SdkHttpError &&
      [400, 404, 405].includes(error.status ?? 0);
    if (!isOld) throw error;
    // The server may only support the older transport. If it refuses both, report the first error.
    return await openClient(sse(place), { ...options, era: "legacy" }, signal)
      .catch(() => Promise.reject(error));
  }
}

/** Some programs exit at the probe for their era: start these again without it. */
async function connectProgram(
  { secrets }: ServerConfig,
  options: ConnectOptions,
  signal: AbortSignal,
): Promise<Client> {
  const redact = redactor(secrets);
  const start = () => new StdioTransport({ ...options.program!, redact });
  try {
    return await openClient(start(), options, signal);
  } catch (error) {
    const isOld = ENDED_AT_PROBE.test((error as Error).message) && options.era === undefined;
    if (!isOld || signal.aborted) throw error;
    return await openClient(start(), { ...options, era: "legacy" }, signal);
  }
}

async function openClient(
  transport: Transport,
  options: ConnectOptions,
  signal: AbortSignal,
): Promise<Client> {
  options.onTransport(transport);
  const changed = { autoRefresh: false, onChanged: () => options.onToolsChanged() };
  const client = new Client({ name: "toolcall", version }, {
    versionNegotiation: { mode: "auto", probe: { timeoutMs: PROBE_MS } },
    inputRequired: { autoFulfill: false },
    // The SDK's validator would compile foreign schemas.
    jsonSchemaValidator: { getValidator: refuseToCompile },
    ...(options.isResident && { listChanged: { tools: changed } }),
  });
  const connected = client.connect(transport, {
    signal,
    timeout: NO_LIMIT_MS,
    ...(options.era === "legacy" && { prior: { kind: "legacy" as const } }),
  });
  connected.catch(() => {});
  await Promise.race([connected, rejectOnAbort(signal)]);
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

function refuseToCompile(): never {
  throw new Error("No schema is compiled here");
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
