import { ShownText } from "../terminal/shown_text.ts";
import { trimSurrogates } from "../text/truncate.ts";

/** The longest character of UTF-8, in bytes. */
const MAX_CHARACTER_BYTES = 4;

/**
 * Returns what a terminal would show of the current content of an output file. If it has more than
 * `limit` characters, returns its head and tail, with a line between them that says how much is
 * missing. Returns `""` if there is no file.
 */
export function outputSoFar(path: string, limit: number): string {
  let file: Deno.FsFile;
  try {
    file = Deno.openSync(path);
  } catch {
    return "";
  }
  try {
    const { size } = file.statSync();
    const most = limit * MAX_CHARACTER_BYTES;
    const text = shownIn(bytesAt(file, 0, Math.min(size, most)));
    if (size <= most && text.length <= limit) return text;
    const half = Math.floor(limit / 2);
    const tail = shownIn(bytesAt(file, Math.max(0, size - most), most));
    return `${trimSurrogates(text.slice(0, half))}\n[The middle is omitted here; the complete ` +
      `output so far, ${size} bytes, is in "${path}"]\n${trimSurrogates(tail.slice(-half))}`;
  } finally {
    file.close();
  }
}

function shownIn(bytes: Uint8Array): string {
  const shown = new ShownText();
  return shown.add(new TextDecoder().decode(bytes)) + shown.end();
}

function bytesAt(file: Deno.FsFile, start: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  file.seekSync(start, Deno.SeekMode.Start);
  let at = 0;
  while (at < length) {
    const count = file.readSync(bytes.subarray(at));
    if (count === null) break;
    at += count;
  }
  return bytes.subarray(0, at);
}
