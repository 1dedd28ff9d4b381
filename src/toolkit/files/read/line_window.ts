import { byteSize, plural, thousands } from "../../../base/text/amounts.ts";
import type { ByteSource } from "./byte_source.ts";
import { LineReader, type RawLine } from "./line_reader.ts";
import { cannot } from "../../../base/fs/system_error.ts";
import { isUtf8Prefix } from "../../../base/text/utf8.ts";

const MAX_CHARACTERS = 2000;
const MAX_BYTES = 50 * 1024;
const MAX_LARGE_BYTES = 256 * 1024;
const NOTES_BYTES = 1024;

/** The shown lines, and the facts for the notes below them. */
class Window {
  text = "";
  bytes = 0;
  full = false;
  cut = 0;
  endless = false;
  crlf = 0;
  /** Whether a line has a carriage return that does not end it. */
  cr = false;
  lf = 0;
  bom = false;
  invalid = false;
  unended = false;

  constructor(public last: number) {}
}

/**
 * The lines `offset` to `offset + limit - 1` of a text as `cat -n` shows them. Notes in brackets
 * below say how much more there is, how to go on, and what was cut. They also say what an editor
 * must know of line ends and encoding. Holds at most 50 KiB, or 256 KiB with `isLarge`, and never a
 * partial line; a line over 2,000 characters is cut and marked. Throws when the text has fewer than
 * `offset` lines.
 */
export async function lineWindow(
  source: ByteSource,
  { offset, limit, isLarge }: { offset: number; limit: number; isLarge?: boolean },
): Promise<string> {
  const maxBytes = isLarge ? MAX_LARGE_BYTES : MAX_BYTES;
  const attempt = `${cannot(source.target)} from line ${offset}`;
  const reader = new LineReader(source);
  const { lines, gaveUp } = await reader.skip(offset - 1);
  if (gaveUp) {
    const size = byteSize(source.position);
    const where = `after ${size} of the file, which hold ${plural(lines, "line")}`;
    throw new Error(`${attempt}: the search ended ${where}`, { cause: { atLeastLines: lines } });
  }
  const window = await collect(reader, { offset, limit, maxBytes });
  if (window.last < offset) {
    if (offset === 1) return "[The file is empty]";
    const reason = lines === 0 ? "the file is empty" : `the file has ${plural(lines, "line")}`;
    throw new Error(`${attempt}: ${reason}`, { cause: { lines } });
  }
  const notes = [
    ...await moreNotes(reader, { window, size: source.size, limit: offset + limit - 1, maxBytes }),
    ...formatNotes(window),
  ];
  return window.text + (notes.length > 0 ? "\n" + notes.join("\n") : "");
}

async function collect(
  reader: LineReader,
  { offset, limit, maxBytes }: { offset: number; limit: number; maxBytes: number },
): Promise<Window> {
  const window = new Window(offset - 1);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const encoder = new TextEncoder();
  while (window.last < offset + limit - 1 && !window.endless) {
    const line = await reader.next();
    if (!line) return window;
    const text = numbered(line, { window, decoder });
    // As many units as bytes means ASCII, and a prefix of 7 and a newline come on top.
    window.bytes += text.length === line.length + 8 ? text.length : encoder.encode(text).length;
    window.full = window.bytes > maxBytes - NOTES_BYTES;
    if (window.full) return window;
    window.text += text;
    window.last++;
  }
  return window;
}

/** The next line with its number. */
function numbered(
  line: RawLine,
  { window, decoder }: { window: Window; decoder: TextDecoder },
): string {
  const number = window.last + 1;
  let text = decoder.decode(line.bytes);
  // A line that was kept in part may end within a character, which is no fault of the file.
  if (text.includes("\ufffd")) window.invalid ||= !isUtf8Prefix(line.bytes);
  let characters = line.characters - (line.crlf ? 1 : 0);
  if (number === 1 && text.startsWith("\ufeff")) {
    window.bom = true;
    text = text.slice(1);
    characters--;
  }
  if (line.ended) window[line.crlf ? "crlf" : "lf"]++;
  if (line.crlf && line.bytes.length === line.length) text = text.slice(0, -1);
  window.cr ||= text.includes("\r");
  window.unended = !line.ended;
  window.endless = line.endless;
  const end = endOfShown(text);
  if (end < text.length) {
    window.cut++;
    const more = plural(characters - MAX_CHARACTERS, "character");
    text = `${text.slice(0, end)} [... ${line.endless ? "more than " : ""}${more} cut]`;
  }
  return `${String(number).padStart(6)}\t${text}\n`;
}

/** The end of the first 2,000 characters; a surrogate pair is one character. */
function endOfShown(text: string): number {
  if (text.length <= MAX_CHARACTERS) return text.length;
  let end = 0;
  for (let count = 0; count < MAX_CHARACTERS && end < text.length; count++) {
    end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  }
  return end;
}

async function moreNotes(
  reader: LineReader,
  { window, size, limit, maxBytes }: {
    window: Window;
    size: number;
    limit: number;
    maxBytes: number;
  },
): Promise<string[]> {
  const notes: string[] = [];
  const rest = window.endless ? { lines: 0, complete: false } : await reader.countRest();
  const known = window.last + rest.lines + (window.full ? 1 : 0);
  if (!rest.complete || known > window.last) {
    const total = (rest.complete ? "" : "at least ") + plural(known, "line") +
      (size > 0 ? `, ${byteSize(size)} in all` : "");
    const why = window.full && window.last < limit
      ? `; ${maxBytes / 1024} KiB is the maximum per call`
      : "";
    notes.push(
      `[Shown up to line ${thousands(window.last)} of ${total}${why}. To continue: offset ${
        window.last + 1
      }]`,
    );
  }
  if (window.cut > 0) {
    notes.push(
      `[${plural(window.cut, "line")} cut after 2,000 characters; search long lines with Grep, ` +
        `or print parts with Bash and cut -c]`,
    );
  }
  return notes;
}

function formatNotes({ crlf, lf, cr, bom, invalid, unended, endless }: Window): string[] {
  return [
    crlf > 0 && `[Line endings are ${lf > 0 ? "mixed: CRLF and LF" : "CRLF"}]`,
    cr && "[Carriage returns without a line feed (\\r) are part of their lines]",
    bom && "[The file starts with a UTF-8 byte order mark]",
    invalid && "[Not all of it is valid UTF-8: wrong bytes are shown as \ufffd]",
    unended && !endless && "[No newline at the end of the file]",
  ].filter((note) => note !== false);
}
