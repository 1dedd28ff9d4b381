import type { ContentBlock } from "../../../base/content.ts";
import { byteSize } from "../../../base/text/amounts.ts";
import { type ByteSource, openSource, readToEnd } from "./byte_source.ts";
import { fileKind, kindName } from "./file_kind.ts";
import { quotePath } from "../../../base/text/quote.ts";
import { cannot, type FileTarget } from "../../../base/fs/system_error.ts";
import { shownWide, type WideEncoding, wideEncoding } from "./wide_text.ts";
import { decodeUtf8, decodeUtf8Lossy } from "../../../base/text/utf8.ts";
import type { CallFile } from "../call_file.ts";

const MAX_BYTES = 256 * 1024;
const NEWLINE = 10;

/**
 * The text of a file, unchanged, as the first block: at most 256 KiB, and then whole lines where
 * that is possible. A second block says what was left out and how to get it, or that some bytes are
 * not UTF-8. Throws a readable error for a missing and for a binary file.
 */
export async function readText(target: CallFile, signal: AbortSignal): Promise<ContentBlock[]> {
  using source = await openSource(target, signal);
  const kind = fileKind(await source.peek() ?? new Uint8Array());
  const wide = wideEncoding(await source.peek() ?? new Uint8Array());
  if (wide !== undefined) return await wideText(source, { target, wide });
  if (kind.is !== "text") {
    const name = kindName(kind);
    const advice = kind.is === "binary" ? "" : "; Read shows it";
    throw new Error(`${cannot(target)}: it is ${name}, not text${advice}`, {
      cause: { kind: name },
    });
  }
  const bytes = await beginning(source);
  const shown = bytes.length > MAX_BYTES ? wholeLines(bytes) : bytes;
  const valid = decodeUtf8(shown);
  const text = valid ?? decodeUtf8Lossy(shown);
  const notes: string[] = [];
  if (shown.length < bytes.length) notes.push(restNote(text, { source, shown, target }));
  if (valid === undefined) {
    notes.push("Not all of it is valid UTF-8: wrong bytes are shown as \ufffd");
  }
  return [
    { type: "text", text },
    ...notes.map((note): ContentBlock => ({ type: "text", text: `[${note}]` })),
  ];
}

/** A text in UTF-16, in UTF-8. */
async function wideText(
  source: ByteSource,
  { target, wide }: { target: FileTarget; wide: WideEncoding },
): Promise<ContentBlock[]> {
  const advice = `a text in UTF-16 of more than ${byteSize(MAX_BYTES)} is not given whole; ` +
    `go on with Read, file_path ${quotePath(target.path)}`;
  const bytes = await readToEnd(source, { limit: MAX_BYTES, target, advice });
  const { text, note } = shownWide(bytes, wide);
  return [{ type: "text", text }, { type: "text", text: `[${note}]` }];
}

/** A little more than the limit, when there is more. */
async function beginning(source: ByteSource): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(MAX_BYTES + 1);
  let used = 0;
  while (used < bytes.length) {
    const chunk = await source.read();
    if (!chunk) break;
    const part = chunk.subarray(0, bytes.length - used);
    bytes.set(part, used);
    used += part.length;
  }
  return bytes.subarray(0, used);
}

/** The bytes up to the last newline, or in one long line up to the last whole character. */
function wholeLines(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const end = bytes.lastIndexOf(NEWLINE, MAX_BYTES - 1) + 1;
  if (end > 0) return bytes.subarray(0, end);
  let cut = MAX_BYTES;
  while (cut > MAX_BYTES - 4 && (bytes[cut]! & 0xc0) === 0x80) cut--;
  return bytes.subarray(0, cut);
}

function restNote(
  text: string,
  { source, shown, target }: { source: ByteSource; shown: Uint8Array; target: FileTarget },
): string {
  const lines = text.split("\n").length;
  const size = source.size > 0 ? ` of ${byteSize(source.size)}` : "";
  return `Shown: the first ${byteSize(shown.length)}${size}. ` +
    `To go on: Read with file_path ${quotePath(target.path)} and offset ${lines}`;
}
