/**
 * Ids that JavaScript would change. The SDK takes only strings and safe integers as ids, so it gets a
 * string for such an id, and every message that leaves the process has the number again.
 */

import { isInexactNumber } from "../../../base/json/inexact_number.ts";
import { isObject } from "../../../base/json/is_object.ts";

/** The beginning of the strings. It is random, so that no client and no tool can write one. */
let prefix: string | undefined;

/**
 * Replaces the inexact numbers in the ids and the progress tokens of a message, or of the messages
 * in a batch, by strings.
 */
export function hideNumberIds(message: unknown): void {
  if (Array.isArray(message)) return message.forEach(hideNumberIds);
  if (!isObject(message)) return;
  hide(message, "id");
  const { params } = message;
  if (!isObject(params)) return;
  hide(params, "requestId");
  if (isObject(params["_meta"])) hide(params["_meta"], "progressToken");
}

function hide(object: Record<string, unknown>, key: string): void {
  const value = object[key];
  if (!isInexactNumber(value)) return;
  prefix ??= `number-${crypto.randomUUID()}:`;
  object[key] = prefix + value.rawJSON;
}

/** The JSON text of messages with the numbers that {@link hideNumberIds} has replaced. */
export function restoreNumberIds(json: string): string {
  if (prefix === undefined) return json;
  return json.replaceAll(new RegExp(`"${prefix}([-+.\\deE]+)"`, "g"), "$1");
}

/** The same response with the numbers in its body. */
export function withNumberIds(response: Response): Response {
  if (prefix === undefined || response.body === null) return response;
  const body = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(byLine(restoreNumberIds))
    .pipeThrough(new TextEncoderStream());
  return new Response(body, response);
}

/** Changes each line of a stream as a whole, because a chunk may end within an id. */
function byLine(change: (line: string) => string): TransformStream<string, string> {
  let rest = "";
  return new TransformStream({
    transform(chunk, controller) {
      const end = chunk.lastIndexOf("\n") + 1;
      if (end === 0) return void (rest += chunk);
      controller.enqueue(change(rest + chunk.slice(0, end)));
      rest = chunk.slice(end);
    },
    flush(controller) {
      controller.enqueue(change(rest));
    },
  });
}
