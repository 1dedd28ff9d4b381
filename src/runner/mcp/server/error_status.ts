import { isObject } from "../../../base/json/is_object.ts";
import { parseJson } from "../../../base/json/parse_json.ts";

/** The code for a request that needs a capability which the client has not declared. */
const MISSING_CAPABILITY = -32021;
/** The longest wait for the first event, in milliseconds. */
const FIRST_MS = 500;

/**
 * Gives a stream the status 400 if it begins at once with the error for a missing capability, as
 * revision 2026-07-28 of MCP wants it. A stream that begins later has begun with 200.
 */
export async function withErrorStatus(response: Response): Promise<Response> {
  if (response.headers.get("content-type") !== "text/event-stream" || response.body === null) {
    return response;
  }
  const reader = response.body.getReader();
  const first = reader.read();
  let timer: number | undefined;
  const early = await Promise.race([
    first,
    new Promise<undefined>((done) => timer = setTimeout(done, FIRST_MS)),
  ]);
  clearTimeout(timer);
  const error = early?.value === undefined ? undefined : missingCapabilityIn(early.value);
  if (error !== undefined) {
    reader.cancel().catch(() => {});
    return Response.json(error, { status: 400 });
  }
  let next: ReturnType<typeof reader.read> | undefined = first;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await (next ?? reader.read());
      next = undefined;
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, response);
}

function missingCapabilityIn(event: Uint8Array): unknown {
  const data = /^data: ?(.*)$/m.exec(new TextDecoder().decode(event))?.[1];
  const message = data === undefined ? undefined : parseJson(data);
  const error = isObject(message) ? message["error"] : undefined;
  return isObject(error) && error["code"] === MISSING_CAPABILITY ? message : undefined;
}
