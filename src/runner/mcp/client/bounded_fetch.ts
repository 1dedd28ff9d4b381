import { MAX_MESSAGE_BYTES } from "./stdio_transport.ts";

/**
 * Fetches as `fetch` does, but fails when a response exceeds 16 MiB. In a stream of events the
 * limit applies to each event.
 */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init).catch((error) => Promise.reject(withReasons(error)));
  if (response.body === null) return response;
  const isStream = /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
  const body = response.body.pipeThrough(isStream ? eventLimit() : wholeLimit());
  const { status, statusText, headers } = response;
  const bounded = new Response(body, { status, statusText, headers });
  // The SDK reads these properties, which the constructor of a response cannot set.
  Object.defineProperties(bounded, {
    url: { value: response.url },
    redirected: { value: response.redirected },
    type: { value: response.type },
  });
  return bounded;
}

/** Adds the messages of the causes: the runtime's own message only says that it failed. */
function withReasons(error: unknown): unknown {
  if (!(error instanceof TypeError)) return error;
  const reasons = [];
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if (!reasons.at(-1)?.includes(each.message)) reasons.push(each.message);
  }
  return new TypeError(reasons.join(": "), { cause: error });
}

function wholeLimit(): TransformStream<Uint8Array, Uint8Array> {
  let length = 0;
  return new TransformStream({
    transform(part, controller) {
      length += part.length;
      check(length);
      controller.enqueue(part);
    },
  });
}

/** Limits each event: an empty line ends one. */
function eventLimit(): TransformStream<Uint8Array, Uint8Array> {
  let [length, isLineEmpty] = [0, true];
  return new TransformStream({
    transform(part, controller) {
      for (const byte of part) {
        length++;
        if (byte === 10) {
          if (isLineEmpty) length = 0;
          isLineEmpty = true;
        } else if (byte !== 13) isLineEmpty = false;
      }
      check(length);
      controller.enqueue(part);
    },
  });
}

function check(length: number): void {
  if (length > MAX_MESSAGE_BYTES) throw new Error("it sent a message of more than 16 MiB");
}
