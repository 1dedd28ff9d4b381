import { ModelFailure } from "./model_failure.ts";

/** How much is read of an answer, in bytes: a stream takes many for a word. */
const WIRE_LIMIT = 64 * 1024 * 1024;

/**
 * The text of a body, piece by piece as it comes. Throws {@link ModelFailure} after
 * 64 MiB and when it breaks off, and the signal's reason when that is aborted.
 * Whoever stops asking ends the request.
 */
export async function* bodyText(response: Response, signal: AbortSignal): AsyncGenerator<string> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", cancel, { once: true });
  const decoder = new TextDecoder();
  let size = 0;
  try {
    for (;;) {
      const { value, done } = await reader.read().catch((error) => {
        signal.throwIfAborted();
        throw new ModelFailure("the answer broke off", { again: true, said: String(error) });
      });
      signal.throwIfAborted();
      if (done) return;
      size += value.byteLength;
      if (size > WIRE_LIMIT) {
        throw new ModelFailure(`the answer is larger than ${WIRE_LIMIT} bytes`, { again: false });
      }
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}

/** The first `limit` characters of a body, or a little more; nothing of what follows is read. */
export async function beginningOf(
  response: Response,
  { limit, signal }: { limit: number; signal: AbortSignal },
): Promise<string> {
  let text = "";
  for await (const piece of bodyText(response, signal)) {
    text += piece;
    if (text.length >= limit) break;
  }
  return text;
}
