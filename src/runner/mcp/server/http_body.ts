import { readRequestBody } from "@modelcontextprotocol/server";
import { abortable } from "@std/async/abortable";
import { InexactJsonError, parseExactJson } from "../../../base/json/exact_json.ts";
import { httpError } from "./http_guard.ts";
import { answerId, type RequestError, unknownKeysError } from "./server.ts";

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
  const body = parsed(read.text);
  const error = await unknownKeysError(body);
  if (error !== undefined) throw badRequest(answerId(body), error);
  return body;
}

function parsed(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch (error) {
    if (!(error instanceof InexactJsonError)) throw error;
    throw badRequest(null, { code: -32700, message: `The body ${error.message}` });
  }
}

function badRequest(id: string | number | null, error: RequestError): Response {
  return Response.json({ jsonrpc: "2.0", id, error }, { status: 400 });
}

async function readInTime(request: Request): ReturnType<typeof readRequestBody> {
  const limit = AbortSignal.timeout(BODY_MS);
  try {
    return await abortable(readRequestBody(request, MAX_BYTES), limit);
  } catch {
    if (limit.aborted) throw httpError(408, `The body did not come within ${BODY_MS} ms`);
    // The client has disconnected.
    throw httpError(400, "The body is not whole");
  }
}

/** Returns the same response, and calls `end` when its body has been read or cancelled. */
export function onBodyEnd(response: Response, end: () => void): Response {
  if (response.body === null) {
    end();
    return response;
  }
  const reader = response.body.getReader();
  const isStream = response.headers.get("content-type") === "text/event-stream";
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (isStream) controller.enqueue(new TextEncoder().encode(":\n\n"));
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
