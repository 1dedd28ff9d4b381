import { cannot, type FileTarget } from "../../../base/fs/system_error.ts";
import { wideEncoding } from "../read/wide_text.ts";
import { decodeUtf8, decodeUtf8Lossy } from "../../../base/text/utf8.ts";

const REPLACEMENT = "\ufffd";
// deno-lint-ignore no-control-regex
const OTHER = /[^\x00-\x7f]/u;

/**
 * The reason why a text, which is always written in UTF-8, does not fit into a file with these
 * bytes, and what to do. Returns `undefined` if it fits: the text is ASCII, or the file is UTF-8, or
 * UTF-16 with a byte order mark, which is converted. A file in which more characters than wrong bytes are not ASCII counts as damaged UTF-8. `noun` names
 * the text.
 */
export function encodingConflict(
  bytes: Uint8Array,
  { text, noun }: { text: string; noun: string },
): string | undefined {
  if (wideEncoding(bytes) !== undefined) return undefined;
  const letter = OTHER.exec(text)?.[0];
  if (letter === undefined || decodeUtf8(bytes) !== undefined) return undefined;
  const shown = decodeUtf8Lossy(bytes);
  const wrong = shown.split(REPLACEMENT).length - 1;
  if (countOther(shown) - wrong > wrong) return undefined;
  const line = shown.slice(0, shown.indexOf(REPLACEMENT)).split("\n").length;
  return `the file is not UTF-8 (line ${line} has other bytes), and ${noun} has "${letter}", which ` +
    "is written in UTF-8; use only ASCII, or convert the file first, for example with " +
    "iconv -f ISO-8859-1 -t UTF-8 if it is Latin-1";
}

function countOther(text: string): number {
  let count = 0;
  for (const character of text) if (OTHER.test(character)) count++;
  return count;
}

/** Throws a readable error if new text does not fit; see {@link encodingConflict}. */
export function refuseConflict(
  bytes: Uint8Array,
  { text, noun = "new_string", target }: { text: string; noun?: string; target: FileTarget },
): void {
  const why = encodingConflict(bytes, { text, noun });
  if (why !== undefined) throw new Error(`${cannot(target)}: ${why}`);
}
