import type { IncomingMessage } from "node:http";
import { CallError } from "../../../base/errors.ts";
import { retryable } from "../../../base/retryable.ts";
import { quote } from "../../../base/text/quote.ts";

/** Statuses whose answers have no body. */
const BODILESS = [204, 205, 304];

/**
 * Node's answer as a standard one; its body is read as far as it is asked for, and comes
 * decompressed. Throws `tool_failed` for an answer in an encoding that was not asked for.
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
  // They speak of what was sent, which is none of what is given.
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

/** The body, of which the connection gives no more than is read. */
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
