import { MAX_MESSAGE } from "./stdio_transport.ts";

/**
 * Fetches as `fetch` does, but an answer that is longer than 16 MiB breaks off with an error;
 * of a stream of events it is each event that may not be longer.
 */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init).catch((error) => Promise.reject(withReasons(error)));
  if (response.body === null) return response;
  const isStream = /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
  const body = response.body.pipeThrough(isStream ? eventLimit() : wholeLimit());
  const { status, statusText, headers } = response;
  const bounded = new Response(body, { status, statusText, headers });
  // A response that is made has no address, and whether it was redirected is asked of it.
  Object.defineProperties(bounded, {
    url: { value: response.url },
    redirected: { value: response.redirected },
    type: { value: response.type },
  });
  return bounded;
}

/** The runtime says no more than that it failed, and why in the causes. */
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

/** Counts from one empty line to the next. */
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
  if (length > MAX_MESSAGE) throw new Error("it sent a message of more than 16 MiB");
}
