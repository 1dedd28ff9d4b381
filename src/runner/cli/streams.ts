/** The streams of this process. */

import { readVariable } from "../../base/environment.ts";
import { CallError } from "../../base/errors.ts";
import { writeSome } from "../../base/fs/write_some.ts";
import { osErrorMessage } from "../../base/os_error_message.ts";
import { terminalText } from "../../base/terminal/terminal_text.ts";

/** The methods of a stream that this program reads. */
export interface Source {
  /** Reads the available bytes without waiting. Returns `null` at the end. */
  readSync(buffer: Uint8Array): number | null;
  /** Waits for something to read. */
  read(buffer: Uint8Array): Promise<number | null>;
  /** Whether the stream is a terminal. */
  isTerminal(): boolean;
}

/** The methods of a stream that this program writes. */
export interface Sink {
  /** Writes at once. */
  writeSync(data: Uint8Array): number;
  /** Waits until something can be written. */
  write(data: Uint8Array): Promise<number>;
}

/** Whether calls report their steps on stderr: by `--verbose`, or by `TOOLCALL_DEBUG=1`. */
export function isVerbose({ options }: { options: ReadonlyMap<string, string> }): boolean {
  return options.has("verbose") || readVariable("TOOLCALL_DEBUG") === "1";
}

/** Reads `source` to its end, or until it has returned more than `limit` bytes. */
export async function readStream(source: Source, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  while (total <= limit) {
    const buffer = new Uint8Array(64 * 1024);
    const count = await readSome(source, buffer);
    if (count === null) break;
    chunks.push(buffer.subarray(0, count));
    total += count;
  }
  if (chunks.length === 1) return chunks[0]!;
  const all = new Uint8Array(total);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

async function readSome(source: Source, buffer: Uint8Array): Promise<number | null> {
  try {
    return source.readSync(buffer);
  } catch (error) {
    // The caller made the pipe non-blocking, so wait here.
    if (error instanceof Deno.errors.WouldBlock) {
      return await source.read(buffer);
    }
    // A closed stdin counts as empty.
    if (error instanceof Deno.errors.BadResource) return null;
    throw error;
  }
}

/** Returns the stream for diagnostics: what cannot be written is dropped, and the call goes on. */
export function diagnosticsTo(
  stream: Sink & Pick<Source, "isTerminal">,
): Sink & Pick<Source, "isTerminal"> {
  const dropped = (error: unknown, data: Uint8Array) => {
    if (error instanceof Deno.errors.WouldBlock) throw error;
    return data.length;
  };
  return {
    isTerminal: () => stream.isTerminal(),
    writeSync(data) {
      try {
        return stream.writeSync(data);
      } catch (error) {
        return dropped(error, data);
      }
    },
    write: (data) => stream.write(data).catch((error) => dropped(error, data)),
  };
}

/**
 * Writes all of `text`. On a terminal only the codes of our own styles count: every other control
 * character is shown as an escape. A closed pipe is not an error. Rejects with `unavailable`.
 */
export async function writeAll(
  sink: Sink & Partial<Pick<Source, "isTerminal">>,
  text: string,
): Promise<void> {
  await writeRaw(sink, sink.isTerminal?.() ? terminalText(text) : text);
}

/**
 * As {@link writeAll}, for a line that is drawn again in its place. Its texts must be safe already. It
 * is written at once, so that what is printed after it comes after it.
 */
export async function writeRaw(sink: Sink, text: string): Promise<void> {
  const data = new TextEncoder().encode(text);
  try {
    for (let at = 0; at < data.length;) {
      const rest = data.subarray(at);
      at += writeAtOnce(sink, rest) ?? await writeSome(sink, rest);
    }
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe) return;
    throw new CallError("unavailable", `Cannot write the result: ${osErrorMessage(error)}`);
  }
}

/** Writes the beginning of `data`. Returns `undefined` if a non-blocking stream has no room. */
function writeAtOnce(sink: Sink, data: Uint8Array): number | undefined {
  try {
    return sink.writeSync(data);
  } catch (error) {
    if (error instanceof Deno.errors.WouldBlock) return undefined;
    throw error;
  }
}
