import {
  type Client,
  type ProtocolEra,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { abortable } from "@std/async/abortable";
import { redactor } from "../../../base/text/redact.ts";
import { version } from "../../../base/version.ts";
import type { KeepOptions } from "../kept/keep_order.ts";
import { hasAuthorization } from "../oauth/oauth_config.ts";
import { isRemote, type TokenSetup } from "../oauth/remote_config.ts";
import { ServerTokens } from "../oauth/server_tokens.ts";
import { boundedFetch } from "../bounded_fetch.ts";
import { announcedCapabilities, type RequestDesk } from "./server_requests.ts";
import type { RemoteServer, ServerConfig } from "./server_config.ts";
import type { ServerProgram } from "./server_program.ts";
import { type ProgramTransport, StdioTransport } from "./stdio_transport.ts";
import { TaskClient } from "./task_client.ts";

/** How to connect. */
export interface ConnectOptions {
  /** The program to start; only for a server that is a program. */
  program?: ServerProgram;
  /** How the program is kept between calls, if it is. */
  keep?: KeepOptions;
  /** The server's era of the protocol, if it is known from an earlier connection. */
  era?: ProtocolEra;
  /** How to get the tokens for a server at an address. */
  setup: TokenSetup;
  /** Answers the requests of the server. */
  desk: RequestDesk;
  /** Called when the server announces a change of its tools. To subscribe can take a request. */
  onToolsChanged?: () => void;
  /** Called with each transport before it is opened; the last one is used. */
  onTransport(transport: Transport): void;
}

/** How to connect, and how long the probe for the era may take, in milliseconds. */
type OpenOptions = ConnectOptions & { probeMs: number };

/** Requests end by their signals: this timeout is so long that the SDK's own never fires. */
export const NO_LIMIT_MS = 2 ** 31 - 1;

/**
 * The time that a program has to answer the probe for its era, in milliseconds, or half of its time to
 * start. After that it is asked without, and `EarlyInitialize` asks earlier in both ways. A slow start must
 * not make a program of today an old one.
 * A server at an address has all its time to start, because no other request follows then.
 */
const PROBE_MS = 15_000;

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
  const tokens = isRemote(server) && !hasAuthorization(place.headers)
    ? new ServerTokens(server, options.setup)
    : undefined;
  // Renewing a token may take longer than the probe for the era has, so it is done before.
  await tokens?.token();
  const remote = { ...options, tokens, probeMs: server.startMs };
  try {
    return await connectRemote(place, remote, signal);
  } catch (error) {
    const renewal = tokens?.renewal;
    if (renewal === undefined || signal.aborted) throw error;
    await abortable(renewal, signal);
    return await connectRemote(place, remote, signal);
  }
}

async function connectRemote(
  place: RemoteServer,
  { tokens, ...options }: OpenOptions & { tokens: ServerTokens | undefined },
  signal: AbortSignal,
): Promise<Client> {
  const sse = () => remoteTransport(SSEClientTransport, place, tokens);
  if (place.type === "sse") return await openClient(sse(), options, signal);
  try {
    const http = remoteTransport(StreamableHTTPClientTransport, place, tokens);
    return await openClient(http, options, signal);
  } catch (error) {
    const isOld = place.type === "any" && error instanceof SdkHttpError &&
      [400, 404, 405].includes(error.status ?? 0);
    if (!isOld) throw error;
    // The server may only support the older transport. If it refuses both, report the first error.
    return await openClient(sse(), { ...options, era: "legacy" }, signal)
      .catch(() => Promise.reject(error));
  }
}

/** Some programs exit at the probe for their era: start these again without it. */
async function connectProgram(
  { secrets, startMs }: ServerConfig,
  options: ConnectOptions,
  signal: AbortSignal,
): Promise<Client> {
  const { program, keep } = options;
  const open = async (options: ConnectOptions) => {
    const transport = keep === undefined
      ? new StdioTransport(program!, redactor(secrets))
      : new (await import("../kept/kept_transport.ts")).KeptTransport(keep, signal);
    return await openClient(
      transport,
      { ...options, probeMs: Math.min(PROBE_MS, startMs / 2) },
      signal,
    );
  };
  try {
    return await open(options);
  } catch (error) {
    const isOld = ENDED_AT_PROBE.test((error as Error).message) && options.era === undefined;
    if (!isOld || signal.aborted) throw error;
    return await open({ ...options, era: "legacy" });
  }
}

async function openClient(
  transport: Transport,
  options: OpenOptions,
  signal: AbortSignal,
): Promise<Client> {
  const { onTransport, onToolsChanged, era, desk, probeMs } = options;
  onTransport(transport);
  const client = new TaskClient({ name: "toolcall", version }, {
    versionNegotiation: { mode: "auto", probe: { timeoutMs: probeMs } },
    capabilities: announcedCapabilities(desk.allowed),
    // The SDK's validator would compile foreign schemas.
    jsonSchemaValidator: { getValidator: refuseToCompile },
    ...(onToolsChanged && {
      listChanged: { tools: { autoRefresh: false, onChanged: onToolsChanged } },
    }),
  });
  desk.attach(client);
  const connected = client.connect(transport, {
    signal,
    timeout: NO_LIMIT_MS,
    ...(era === "legacy" && { prior: { kind: "legacy" as const } }),
  });
  await abortable(connected, signal);
  return client;
}

function remoteTransport(
  Remote: typeof SSEClientTransport | typeof StreamableHTTPClientTransport,
  { url, headers }: RemoteServer,
  tokens: ServerTokens | undefined,
): Transport {
  const requestInit = { headers: { ...headers } };
  return new Remote(new URL(url), {
    ...{ requestInit, fetch: tokens?.fetch ?? boundedFetch },
    ...(tokens && { authProvider: tokens }),
  });
}

function refuseToCompile(): never {
  throw new Error("No schema is compiled here");
}

/** Whether the server of a transport is a program. */
export function isOfProgram(transport: Transport | undefined): transport is ProgramTransport {
  return transport !== undefined && "exitReason" in transport;
}
