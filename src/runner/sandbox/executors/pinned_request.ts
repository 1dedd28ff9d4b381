import * as http from "node:http";
import * as https from "node:https";
import { CallError } from "../../../base/errors.ts";
import { neededHost, splitHost, webUrl, withoutBrackets } from "../../../base/host.ts";
import { retryable } from "../../../base/retryable.ts";
import { quote } from "../../../base/text/quote.ts";
import type { FetchRequest } from "../../registry/services.ts";
import type { Addresses } from "./executor.ts";

/** The time that an address may take to connect before the next one is tried, in milliseconds. */
const CONNECT_MS = 8_000;

/** The options of an agent. The default agent would use the proxies of the environment. */
const DIRECT = { keepAlive: false, proxyEnv: {} };

/**
 * Sends a request over `addresses`, which were checked, and over no other: the name is not looked up
 * again. The certificate is verified for the name. Redirects are not followed, cookies are not
 * kept, proxies are not used. Throws `permission_denied` for a host and port without addresses,
 * `tool_failed` when no answer comes. No error contains a header's value or a URL's query.
 */
export async function pinnedRequest(
  given: string,
  { addresses, signal, ...request }: FetchRequest & { addresses: Addresses; signal: AbortSignal },
): Promise<Response> {
  const url = checkedUrl(given);
  const needed = neededHost(url);
  const found = Object.hasOwn(addresses, needed) ? addresses[needed]! : [];
  if (found.length === 0) {
    const message = `Cannot fetch from ${quote(needed)}: the call was not authorised for it`;
    throw new CallError("permission_denied", message, { needs: [{ name: "net", host: needed }] });
  }
  signal.throwIfAborted();
  const { version } = await import("../../../base/version.ts");
  const userAgent = `toolcall/${version}`;
  let failure: unknown;
  for (const address of found) {
    try {
      return responseOf(await send(url, { address, signal, request, userAgent }), request.method);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      failure = error;
      if (!(error instanceof NotConnected)) break;
    }
  }
  throw failure instanceof CallError ? failure : new CallError(
    "tool_failed",
    `Cannot fetch ${quote(url.origin + url.pathname)}: ${reasonOf(failure)}`,
    { host: needed, ...(mayPassBy(failure, request.method) && retryable()) },
  );
}

/**
 * Whether a later try may succeed. This is so if no connection was made, or if it was closed and
 * the request changes nothing (RFC 9110, section 9.2.1).
 */
function mayPassBy(failure: unknown, method = "GET"): boolean {
  const { code = "", message } = failure as Error & { code?: string };
  if (failure instanceof NotConnected) return UNREACHED.includes(code);
  const isClosed = ["ECONNRESET", "EPIPE"].includes(code) || message === REASONS["ECONNRESET"];
  return isClosed && ["GET", "HEAD"].includes(method);
}

/** No connection was made, so nothing was sent. */
class NotConnected extends Error {
  override name = "NotConnected";
  /** Takes the reason, and the system's code for it, or `LATE`. */
  constructor(message: string, readonly code: string | undefined) {
    super(message);
  }
}

function checkedUrl(given: string): URL {
  const url = webUrl(given);
  if (url === undefined) {
    const shown = quote(given.replace(/[?#].*/s, ""));
    const why = "only http and https URLs are supported";
    throw new CallError("tool_failed", `Cannot fetch ${shown}: ${why}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new CallError(
      "tool_failed",
      "Cannot fetch a URL that contains a user name or a password",
    );
  }
  return url;
}

function send(
  url: URL,
  { address, signal, request, userAgent }: {
    address: string;
    signal: AbortSignal;
    request: FetchRequest;
    userAgent: string;
  },
): Promise<http.IncomingMessage> {
  const { host, port } = splitHost(neededHost(url));
  const { Agent, request: begin } = url.protocol === "https:" ? https : http;
  const family = address.includes(":") ? 6 : 4;
  return new Promise((resolve, reject) => {
    const sending = begin({
      protocol: url.protocol,
      hostname: withoutBrackets(host),
      port,
      path: `${url.pathname}${url.search}`,
      method: request.method ?? "GET",
      headers: { "user-agent": userAgent, "accept-encoding": "gzip", ...request.headers },
      agent: new Agent(DIRECT),
      rejectUnauthorized: true,
      signal,
      lookup: (_host, _options, callback) => callback(null, [{ address, family }]),
    });
    let isConnected = false;
    const timer = setTimeout(
      () => sending.destroy(new NotConnected("it does not respond", "LATE")),
      CONNECT_MS,
    );
    sending.once("socket", (socket) => {
      const connected = () => {
        isConnected = true;
        clearTimeout(timer);
      };
      if (socket.connecting) socket.once("connect", connected);
      else connected();
    });
    let informed = 0;
    sending.on("information", () => {
      if (++informed <= MAX_INFORMED) return;
      sending.destroy(new Error("the server sends informational responses only, and no final one"));
    });
    sending.once("response", resolve);
    // An answer that changes the protocol causes neither a response nor an error event.
    sending.once("close", () => reject(new Error(REASONS["ECONNRESET"])));
    sending.once("error", (error: Error & { code?: string }) => {
      clearTimeout(timer);
      reject(isConnected ? error : new NotConnected(error.message, error.code));
    });
    sending.end(request.body);
  });
}

/** The most informational (1xx) answers before the final one. */
const MAX_INFORMED = 20;

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was closed before a response arrived",
  EPIPE: "the connection was closed before a response arrived",
  ETIMEDOUT: "the host does not respond",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  HPE_HEADER_OVERFLOW: "the response header is too long",
};

/** The reasons for a failed connection that may be gone later. */
const UNREACHED = [
  "LATE",
  "ECONNREFUSED",
  "ECONNRESET",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
];

const TRUST =
  "; for a private certificate authority, set the environment variable NODE_EXTRA_CA_CERTS to " +
  "the file of its certificate";

/** The reason why no answer came. It contains nothing from the request's header. */
function reasonOf(error: unknown): string {
  const { code = "", message } = error as Error & { code?: string };
  if (Object.hasOwn(REASONS, code)) return REASONS[code]!;
  if (code.startsWith("HPE_")) return "the response is not HTTP";
  if (/CERT|^UNABLE_TO_/.test(code)) return `its certificate is not valid: ${message}${TRUST}`;
  return message;
}

/** Statuses whose answers have no body. */
const BODILESS = [204, 205, 304];

/**
 * Turns Node's answer into a standard one. Its body is read only as far as it is used, and is
 * decompressed. Throws `tool_failed` for an answer in an encoding that was not requested.
 */
function responseOf(message: http.IncomingMessage, method = "GET"): Response {
  const status = message.statusCode ?? 0;
  const headers = headersOf(message);
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  const hasBody = method !== "HEAD" && !BODILESS.includes(status);
  if (status < 200 || status > 599) {
    message.destroy();
    throw new CallError("tool_failed", `The server responded with status ${status}`);
  }
  if (!hasBody) {
    message.resume();
    return new Response(null, { status, headers });
  }
  const body = ReadableStream.from(chunksOf(message, method));
  if (encoding === "identity" || encoding === "") return new Response(body, { status, headers });
  const format = decoders.get(encoding);
  if (format === undefined) {
    message.destroy();
    const fault = `an encoding that was not requested: ${quote(encoding)}`;
    throw new CallError("tool_failed", `The server answered in ${fault}`);
  }
  // These headers describe the compressed body, and it is decompressed below.
  headers.delete("content-encoding");
  headers.delete("content-length");
  return new Response(body.pipeThrough(new DecompressionStream(format)), { status, headers });
}

const decoders = new Map<string, CompressionFormat>([
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["deflate", "deflate"],
]);

function headersOf({ rawHeaders }: http.IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  }
  return headers;
}

/** The body. The connection delivers no more of it than is read. */
async function* chunksOf(
  message: http.IncomingMessage,
  method: string,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  try {
    for await (const chunk of message) yield new Uint8Array(chunk as Uint8Array);
  } catch (error) {
    const { name } = error as Error;
    if (name === "AbortError" || name === "TimeoutError") throw error;
    throw cutOff(method);
  }
  if (!message.complete) throw cutOff(method);
}

function cutOff(method: string): CallError {
  const message = "The connection ended before the response was complete";
  return new CallError("tool_failed", message, method === "GET" ? { ...retryable() } : {});
}
