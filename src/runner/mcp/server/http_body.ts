import { readRequestBody } from "@modelcontextprotocol/server";
import { InexactJsonError, type JsonDocument } from "../../../base/json/exact_json.ts";
import { httpError } from "./http_guard.ts";
import {
  answerId,
  duplicateKeyError,
  PARSE_ERROR,
  parseMessages,
  type RequestError,
  unknownKeysError,
} from "./request_errors.ts";

/** The largest body, in bytes. */
const MAX_BYTES = 16 * 1024 * 1024;
/** The time that a client has to send the body, in milliseconds. */
const BODY_MS = 30_000;

/**
 * Reads the body of a request as JSON. Throws a `Response` if the body is too large, late or
 * invalid, or is a JSON-RPC request with unknown keys.
 */
export async function readJsonBody(request: Request): Promise<unknown> {
  const read = await readInTime(request);
  if (read.tooLarge) throw httpError(413, `The body is larger than ${MAX_BYTES} bytes`);
  const parsed = parse(read.text);
  const { value: body } = parsed;
  const error = duplicateKeyError(parsed) ?? await unknownKeysError(body);
  if (error !== undefined) throw badRequest(body, error);
  return body;
}

function parse(text: string): JsonDocument {
  try {
    return parseMessages(text);
  } catch (error) {
    if (!(error instanceof InexactJsonError)) throw error;
    throw badRequest(undefined, { code: PARSE_ERROR, message: `The body ${error.message}` });
  }
}

/** The response with the error for a body, or for each request of a batch. */
function badRequest(body: unknown, error: RequestError): Response {
  const answerTo = (each: unknown) => ({ jsonrpc: "2.0", id: answerId(each), error });
  const requests = Array.isArray(body) ? body.filter((each) => answerId(each) !== null) : body;
  const answer = Array.isArray(requests) ? requests.map(answerTo) : answerTo(requests);
  return Response.json(answer, { status: 400 });
}

async function readInTime(request: Request): ReturnType<typeof readRequestBody> {
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => {});
  awaited.set(late.reject, performance.now() + BODY_MS);
  timer ??= setTimeout(refuseLate, BODY_MS);
  try {
    return await Promise.race([readBody(request), late.promise]);
  } catch (error) {
    // Otherwise the client has disconnected.
    throw error instanceof Response ? error : httpError(400, "The body is incomplete");
  } finally {
    awaited.delete(late.reject);
  }
}

/** When each body that has not come yet is late. One timer for all costs less than one for each. */
const awaited = new Map<(reason: Response) => void, number>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** Refuses the requests whose body is late, and comes back when the next one would be. */
function refuseLate(): void {
  const now = performance.now();
  for (const [reject, end] of awaited) {
    if (end <= now) reject(httpError(408, `The body did not arrive within ${BODY_MS} ms`));
  }
  const next = Math.min(...[...awaited.values()].filter((end) => end > now));
  timer = next === Infinity ? undefined : setTimeout(refuseLate, next - now);
}

/** Reads a body of known length at once, because reading it in parts takes longer. */
async function readBody(request: Request): ReturnType<typeof readRequestBody> {
  const length = request.headers.get("content-length");
  if (length === null || Number(length) > MAX_BYTES) {
    return await readRequestBody(request, MAX_BYTES);
  }
  return { tooLarge: false, text: await request.text() };
}

/** Returns the same response, and calls `end` when its body has been read or cancelled. */
export function onBodyEnd(response: Response, end: () => void): Response {
  // Only a stream stays open. The type is looked at first, because a body that nobody has looked at
  // is sent with its length and in one piece.
  if (response.headers.get("content-type") !== "text/event-stream" || response.body === null) {
    end();
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(":\n\n"));
    },
    async pull(controller) {
      const { value, done } = await reader.read().catch(() => ({ value: undefined, done: true }));
      if (!done) return controller.enqueue(value!);
      end();
      controller.close();
    },
    async cancel(reason) {
      end();
      await reader.cancel(reason);
    },
  });
  return new Response(body, response);
}
