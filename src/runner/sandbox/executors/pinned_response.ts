import type { IncomingMessage } from "node:http";
import { CallError } from "../../../base/errors.ts";
import { retryable } from "../../../base/retryable.ts";
import { quote } from "../../../base/text/quote.ts";

/** Statuses whose answers have no body. */
const BODILESS = [204, 205, 304];

/**
 * Turns Node's answer into a standard one. Its body is read only as far as it is used, and is
 * decompressed. Throws `tool_failed` for an answer in an encoding that was not requested.
 */
export function responseOf(message: IncomingMessage, method = "GET"): Response {
  const status = message.statusCode ?? 0;
  const headers = headersOf(message);
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  const hasBody = method !== "HEAD" && !BODILESS.includes(status);
  if (status < 200 || status > 599) {
    message.destroy();
    throw new CallError("tool_failed", `The server answered with the status ${status}`);
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
    const fault = `an encoding that was not asked for: ${quote(encoding)}`;
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

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  }
  return headers;
}

/** The body. The connection delivers no more of it than is read. */
async function* chunksOf(
  message: IncomingMessage,
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
  const message = "The connection ended before the answer did";
  return new CallError("tool_failed", message, method === "GET" ? { ...retryable() } : {});
}
