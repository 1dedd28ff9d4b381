import { readRequestBody } from "@modelcontextprotocol/server";
import { InexactJsonError, parseExactJson } from "../../../base/json/exact_json.ts";
import { httpError } from "./http_error.ts";
import { idOf, oddKeys, type RequestError } from "./odd_keys.ts";

/** The longest body, in bytes. */
const MAX_BYTES = 16 * 1024 * 1024;
/** How long a client may take to send one, in milliseconds. */
const BODY_MS = 30_000;

/**
 * The body of a request as JSON. A JSON-RPC request has no keys besides its own. Throws the
 * response that refuses the request.
 */
export async function bodyOf(request: Request): Promise<unknown> {
  const read = await readInTime(request);
  if (read.tooLarge) throw httpError(413, `The body is larger than ${MAX_BYTES} bytes`);
  const body = parsed(read.text);
  const error = await oddKeys(body);
  if (error !== undefined) throw refusal(idOf(body), error);
  return body;
}

function parsed(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch (error) {
    if (!(error instanceof InexactJsonError)) throw error;
    throw refusal(null, { code: -32700, message: `The body ${error.message}` });
  }
}

function refusal(id: string | number | null, error: RequestError): Response {
  return Response.json({ jsonrpc: "2.0", id, error }, { status: 400 });
}

async function readInTime(request: Request): ReturnType<typeof readRequestBody> {
  const late = Promise.withResolvers<never>();
  const refused = httpError(408, `The body did not come within ${BODY_MS} ms`);
  const timer = setTimeout(() => late.reject(refused), BODY_MS);
  try {
    return await Promise.race([readRequestBody(request, MAX_BYTES), late.promise]);
  } catch (error) {
    if (error instanceof Response) throw error;
    // The client has gone.
    throw httpError(400, "The body is not whole");
  } finally {
    clearTimeout(timer);
  }
}
