import { isObject } from "../../../base/json/is_object.ts";
import { checkLength, MAX_MESSAGE_BYTES } from "../bounded_fetch.ts";
import { ByteLines } from "../byte_lines.ts";

/** The turns of the microtask queue that the SDK gets for a message before the next one. */
const TURNS = 10;

/**
 * Gives each line of a stream to `take`, with the JSON object that it is, if it is one. Ends when
 * `isClosed` says so. Throws for a line of more than 16 MiB.
 */
export async function readMessages(
  output: ReadableStream<Uint8Array>,
  { take, isClosed }: {
    take(message: Record<string, unknown> | undefined, line: string): void;
    isClosed(): boolean;
  },
): Promise<void> {
  const lines = new ByteLines(MAX_MESSAGE_BYTES);
  for await (const chunk of output) {
    for (const bytes of lines.add(chunk)) {
      checkLength(bytes.length);
      const line = new TextDecoder().decode(bytes);
      if (line.trim() !== "") take(parseMessage(line), line);
      // The SDK handles progress some turns later, and drops it after the answer: wait for it.
      for (let turn = 0; turn < TURNS; turn++) await null;
    }
    checkLength(lines.pending);
    if (isClosed()) return;
  }
}

function parseMessage(line: string): Record<string, unknown> | undefined {
  try {
    const message: unknown = JSON.parse(line);
    return isObject(message) ? message : undefined;
  } catch {
    return undefined;
  }
}
