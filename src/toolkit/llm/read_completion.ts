import { createParser } from "eventsource-parser";
import { parseJson } from "../../base/json/parse_json.ts";
import type { Completion } from "./messages.ts";
import type { CompletionBuilder } from "./model_api.ts";
import { ModelFailure } from "./model_failure.ts";

/**
 * Reads a completion with `builder`: server-sent events under any media type, or one JSON document
 * from a server that does not stream. Throws {@link ModelFailure} for an answer that is truncated, too large or of
 * another format, and the signal's reason.
 */
export async function readCompletion(
  response: Response,
  { builder, signal }: { builder: CompletionBuilder; signal: AbortSignal },
): Promise<Completion> {
  const text = bodyText(response, signal);
  const type = response.headers.get("content-type") ?? "";
  if (/^\s*text\/event-stream/i.test(type)) return await readEvents(text, builder);
  let whole = "";
  for await (const piece of text) whole += piece;
  return /^\s*(data|event|id|retry)?:/.test(whole)
    ? await readEvents([whole], builder)
    : readDocument(whole, { type, builder });
}

async function readEvents(
  text: AsyncIterable<string> | string[],
  builder: CompletionBuilder,
): Promise<Completion> {
  let isDone = false;
  const parser = createParser({
    onEvent({ data }) {
      isDone ||= data.trim() === "[DONE]";
      if (isDone || data === "") return;
      const chunk = parseJson(data);
      if (chunk !== undefined) {
        builder.add(chunk);
        isDone = builder.isDone;
        return;
      }
      throw new ModelFailure("an event of the answer is not JSON", { again: true, said: data });
    },
  });
  try {
    for await (const piece of text) {
      parser.feed(piece);
      if (isDone) break;
    }
    // Some servers leave out the blank line after the last event.
    if (!isDone) parser.feed("\n\n");
  } catch (error) {
    // A connection may break after the answer is complete.
    const isLate = error instanceof ModelFailure && error.details.again && builder.finished;
    if (!isLate) throw error;
  }
  if (!isDone && !builder.finished) {
    throw new ModelFailure("the answer was cut off", { again: true });
  }
  return builder.completion();
}

function readDocument(
  text: string,
  { type, builder }: { type: string; builder: CompletionBuilder },
): Completion {
  const document = parseJson(text);
  if (document === undefined) {
    const what = type === "" ? "a text without a content type" : type.replace(/;.*/s, "");
    const message = `the answer is no chat completion but ${what.slice(0, 100)}`;
    throw new ModelFailure(message, { again: false, said: text });
  }
  builder.add(document);
  return builder.completion();
}

/** The largest body of an answer, in bytes: a stream takes many bytes for one word. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/**
 * The text of a body, piece by piece as it arrives. Throws {@link ModelFailure} after 64 MiB and
 * if the connection breaks, and the signal's reason if the signal is aborted.
 * The request ends when the caller stops reading.
 */
async function* bodyText(response: Response, signal: AbortSignal): AsyncGenerator<string> {
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
      if (size > MAX_BODY_BYTES) {
        const message = `the answer is larger than ${MAX_BODY_BYTES} bytes`;
        throw new ModelFailure(message, { again: false });
      }
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}

/** The first `limit` characters of a body, or slightly more; the rest is not read. */
export async function readBeginning(
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
