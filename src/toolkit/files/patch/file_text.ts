/** The text of a file as lines, which can be put together again byte for byte. */

import { decodeUtf8 } from "../../../base/text/utf8.ts";
import { fromWide, toWide, wideEncoding, wideName } from "../read/wide_text.ts";
import { fileKind, kindName } from "../read/file_kind.ts";

const MARK = "\ufeff";

/** A text as its lines. */
export interface FileText {
  /** The lines without their line endings. */
  lines: string[];
  /** The line ending of each line; `""` for a last line without one. */
  ends: string[];
  /** The line ending of new lines. */
  newEnd: "\n" | "\r\n";
  /** Turns a line of a patch into a line as this text has it. */
  own(line: string): string;
  /** The bytes of a text that consists of these lines with their line endings. */
  encode(text: string): Uint8Array<ArrayBuffer>;
}

/**
 * The text of a file's bytes: UTF-8, UTF-16 with a byte order mark, or any other text, whose bytes
 * then stay as they are. Throws the reason for a file that is no text.
 */
export function fileText(bytes: Uint8Array<ArrayBuffer>): FileText {
  const wide = wideEncoding(bytes);
  const kind = fileKind(bytes);
  if (wide === undefined && kind.is !== "text") {
    throw new Error(`it is ${kindName(kind)}, not text`);
  }
  const utf8 = wide === undefined ? bytes : inUtf8(bytes, wide);
  const text = decodeUtf8(utf8);
  if (text === undefined) return { ...split(asBytes(bytes)), own: bytesOf, encode: ofBytes };
  const mark = text.startsWith(MARK) ? MARK : "";
  return {
    ...split(text.slice(mark.length)),
    own: (line) => line,
    encode(changed) {
      const encoded = new TextEncoder().encode(mark + changed);
      return wide === undefined ? encoded : toWide(encoded, wide);
    },
  };
}

function inUtf8(
  bytes: Uint8Array<ArrayBuffer>,
  wide: Parameters<typeof wideName>[0],
): Uint8Array<ArrayBuffer> {
  try {
    return fromWide(bytes, wide);
  } catch {
    throw new Error(`it is ${wideName(wide)}, but not valid`);
  }
}

function split(text: string): Pick<FileText, "lines" | "ends" | "newEnd"> {
  const lines: string[] = [];
  const ends: string[] = [];
  let crlf = 0;
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf("\n", at);
    const isLast = newline < 0;
    const stop = isLast ? text.length : newline;
    const hasReturn = !isLast && stop > at && text[stop - 1] === "\r";
    lines.push(text.slice(at, hasReturn ? stop - 1 : stop));
    ends.push(isLast ? "" : hasReturn ? "\r\n" : "\n");
    if (hasReturn) crlf++;
    at = stop + 1;
  }
  // Most lines decide. A text without line endings gets those of Unix.
  return { lines, ends, newEnd: crlf * 2 > lines.length ? "\r\n" : "\n" };
}

/** A text with one character for each byte. */
function asBytes(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 8192) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
  }
  return parts.join("");
}

function bytesOf(line: string): string {
  return asBytes(new TextEncoder().encode(line));
}

function ofBytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
