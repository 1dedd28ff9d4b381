import { delay } from "@std/async/delay";
import { retryAfter } from "../../base/retryable.ts";

/** The largest message of a server, in bytes. */
export const MAX_MESSAGE_BYTES = 2 ** 24;

/** The longest wait that a server may ask for, in milliseconds, and the most waits of a request. */
const [MAX_RETRY_MS, MAX_RETRIES] = [10_000, 2];

/** The statuses of a request that the server has not begun to process. */
const NOT_BEGUN = [429, 503];

/**
 * Fetches as `fetch` does, but tries again when a busy server says when (`Retry-After`), and fails when a response exceeds 16 MiB. In a stream of events the
 * limit applies to each event.
 */
export async function boundedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await patientFetch(url, init)
    .catch((error) => Promise.reject(withReasons(error)));
  if (response.body === null) return response;
  const isStream = /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
  const body = response.body.pipeThrough(messageLimit({ isStream }));
  const bounded = new Response(body, response);
  // The SDK reads these properties, which the constructor of a response cannot set.
  Object.defineProperties(bounded, {
    url: { value: response.url },
    redirected: { value: response.redirected },
    type: { value: response.type },
  });
  return bounded;
}

async function patientFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  for (let tries = 0;; tries++) {
    const response = await fetch(url, init);
    const wait = NOT_BEGUN.includes(response.status)
      ? retryAfter(response.headers.get("retry-after"))
      : undefined;
    // A stream as the body cannot be sent again.
    const isRepeatable = !(init?.body instanceof ReadableStream);
    if (wait === undefined || wait > MAX_RETRY_MS || tries === MAX_RETRIES || !isRepeatable) {
      return response;
    }
    await response.body?.cancel();
    await delay(wait, init?.signal ? { signal: init.signal } : {});
  }
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

/** Limits the body or, in a stream of events, each event: an empty line ends one. */
function messageLimit(
  { isStream }: { isStream: boolean },
): TransformStream<Uint8Array, Uint8Array> {
  let [length, isLineEmpty] = [0, true];
  return new TransformStream({
    transform(part, controller) {
      for (const byte of part) {
        length++;
        if (byte === 10 && isLineEmpty && isStream) length = 0;
        if (byte !== 13) isLineEmpty = byte === 10;
      }
      checkLength(length);
      controller.enqueue(part);
    },
  });
}

/** Throws for a message that is longer than 16 MiB. */
export function checkLength(bytes: number): void {
  if (bytes > MAX_MESSAGE_BYTES) throw new Error("it sent a message of more than 16 MiB");
}
