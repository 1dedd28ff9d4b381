import { openRegular } from "../../../base/fs/system_file.ts";
import { decodeUtf8 } from "../../../base/text/utf8.ts";

/** The size of the largest file that is shown here, in bytes. Its lines fit into one call of Read. */
export const MAX_SHORT_BYTES = 40 * 1024;

/** Longer lines must be cut, which `readAnyFile` does. */
const MAX_CHARACTERS = 2000;

/** Control characters, carriage returns and byte order marks, which need a note. */
// deno-lint-ignore no-control-regex
const UNUSUAL = /[\x00-\x08\x0b-\x1f\x7f\ufeff]/;

/** Formats that begin like a text. A PDF document may begin late. */
const FORMATS = /^(?:[^]{0,1024}%PDF-|GIF8|RIFF|PK)/;

/**
 * The lines of a short, ordinary text from `offset` to its end, as `cat -n` shows them. Returns
 * `undefined` for any other bytes, and for more than `limit` lines: `readAnyFile` handles these.
 * Nearly every call of Read needs only this fraction of the code.
 */
export function shortText(
  bytes: Uint8Array,
  { offset, limit }: { offset: number; limit: number },
): string | undefined {
  const text = decodeUtf8(bytes);
  if (text === undefined || !text.endsWith("\n")) return undefined;
  if (UNUSUAL.test(text) || FORMATS.test(text)) return undefined;
  const lines = text.split("\n").slice(offset - 1, -1);
  if (lines.length === 0 || lines.length > limit) return undefined;
  if (lines.some((line) => line.length > MAX_CHARACTERS)) return undefined;
  const width = 8 * lines.length;
  if (bytes.length + width > MAX_SHORT_BYTES) return undefined;
  return lines.map((line, index) => `${String(offset + index).padStart(6)}\t${line}\n`).join("");
}

/** The bytes of a short regular file; `undefined` for any other, a missing one included. */
export function shortFile(path: string): Uint8Array | undefined {
  try {
    using file = openRegular(path);
    const { size } = file.status();
    if (size === 0 || size > MAX_SHORT_BYTES) return undefined;
    // The buffer has one byte more than the file, which shows that a file has grown.
    const buffer = new Uint8Array(size + 1);
    const count = file.readSync(buffer);
    return count === size ? buffer.subarray(0, size) : undefined;
  } catch {
    return undefined;
  }
}
