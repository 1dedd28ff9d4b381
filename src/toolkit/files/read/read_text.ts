import type { ContentBlock } from "../../../base/content.ts";
import { byteSize } from "../../../base/text/amounts.ts";
import { quotePath } from "../../../base/text/quote.ts";
import { cannot } from "../../../base/fs/system_error.ts";
import { decodeUtf8, decodeUtf8Lossy } from "../../../base/text/utf8.ts";
import type { CallFile } from "../call_file.ts";
import { openSource } from "./byte_source.ts";
import { fileKind, kindName } from "./file_kind.ts";
import { shownWide, wideEncoding } from "./wide_text.ts";

const MAX_BYTES = 256 * 1024;
const NEWLINE = 10;

/**
 * The text of a file, unchanged, as the first block: at most 256 KiB, and then whole lines where
 * that is possible. A second block says what was left out and how to get it, or that some bytes are
 * not UTF-8. Throws a readable error for a missing and for a binary file.
 */
export async function readText(target: CallFile, signal: AbortSignal): Promise<ContentBlock[]> {
  using source = await openSource(target, signal);
  const head = await source.peek() ?? new Uint8Array();
  const wide = wideEncoding(head);
  if (wide !== undefined) {
    const advice = `a text in UTF-16 of more than ${byteSize(MAX_BYTES)} is not given whole; ` +
      `go on with Read, file_path ${quotePath(target.path)}`;
    const { text, note } = shownWide(await source.readAll(MAX_BYTES, advice), wide);
    return blocks(text, [note]);
  }
  const kind = fileKind(head);
  if (kind.is !== "text") {
    const name = kindName(kind);
    const advice = kind.is === "binary" ? "" : "; Read shows it";
    throw new Error(`${cannot(target)}: it is ${name}, not text${advice}`, {
      cause: { kind: name },
    });
  }
  // A byte more than the limit tells whether there is more.
  const bytes = await source.readUpTo(MAX_BYTES + 1);
  const shown = bytes.length > MAX_BYTES ? wholeLines(bytes) : bytes;
  const valid = decodeUtf8(shown);
  const text = valid ?? decodeUtf8Lossy(shown);
  const notes: string[] = [];
  if (shown.length < bytes.length) {
    const size = source.size > 0 ? ` of ${byteSize(source.size)}` : "";
    const next = `file_path ${quotePath(target.path)} and offset ${text.split("\n").length}`;
    notes.push(`Shown: the first ${byteSize(shown.length)}${size}. To go on: Read with ${next}`);
  }
  if (valid === undefined) {
    notes.push("Not all of it is valid UTF-8: wrong bytes are shown as \ufffd");
  }
  return blocks(text, notes);
}

function blocks(text: string, notes: readonly string[]): ContentBlock[] {
  return [text, ...notes.map((note) => `[${note}]`)].map((text) => ({ type: "text", text }));
}

/** The bytes up to the last newline, or in one long line up to the last whole character. */
function wholeLines(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const end = bytes.lastIndexOf(NEWLINE, MAX_BYTES - 1) + 1;
  if (end > 0) return bytes.subarray(0, end);
  let cut = MAX_BYTES;
  while (cut > MAX_BYTES - 4 && (bytes[cut]! & 0xc0) === 0x80) cut--;
  return bytes.subarray(0, cut);
}
