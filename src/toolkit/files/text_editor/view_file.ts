import { decodeUtf8Lossy } from "../../../base/text/utf8.ts";
import { byteSize } from "../../../base/text/amounts.ts";
import { cannot } from "../../../base/fs/system_error.ts";
import type { CallFile } from "../call_file.ts";
import { openSource } from "../read/byte_source.ts";
import { fileKind, kindName } from "../read/file_kind.ts";
import { shownWide, wideEncoding } from "../read/wide_text.ts";
import { linesOfText, numbered } from "./numbered_lines.ts";

const MAX_BYTES = 64 * 1024 * 1024;

/** The lines of a text file. Throws a readable error for a missing and for a binary file. */
export async function readLines(target: CallFile, signal: AbortSignal): Promise<string[]> {
  using source = await openSource(target, signal);
  const advice = `the editor takes files of up to ${byteSize(MAX_BYTES)}`;
  const bytes = await source.readAll(MAX_BYTES, advice);
  const wide = wideEncoding(bytes);
  if (wide !== undefined) return linesOfText(shownWide(bytes, wide).text);
  const kind = fileKind(bytes);
  if (kind.is !== "text") throw new Error(`${cannot(target)}: it is ${kindName(kind)}, not text`);
  return linesOfText(decodeUtf8Lossy(bytes));
}

/**
 * The lines of `range`, with their numbers, up to `most` characters. A note says which lines are
 * left out. Throws the documented error for a range that the file does not have.
 */
export function showLines(
  lines: readonly string[],
  { range, most }: { range: readonly number[] | undefined; most: number },
): string {
  const [first, last] = range === undefined || range.length === 0
    ? [1, lines.length]
    : checkRange(range, lines.length);
  const shown: string[] = [];
  let left = most;
  for (const line of lines.slice(first - 1, last)) {
    if (line.length > left) {
      if (shown.length === 0) shown.push(line.slice(0, left));
      break;
    }
    shown.push(line);
    left -= line.length + 1;
  }
  const text = numbered({ lines: shown, first });
  const end = first + shown.length - 1;
  const isWhole = end === last && shown.at(-1)?.length === lines[end - 1]?.length;
  if (isWhole) return text;
  const next = end < last ? `, such as [${end + 1}, -1]` : "";
  return `${text}\n<response clipped><NOTE>Lines ${first} to ${end} of ${lines.length} are shown, ` +
    `because at most ${most} characters are. Use view_range to see others${next}.</NOTE>`;
}

function checkRange(range: readonly number[], count: number): [first: number, last: number] {
  const [first, last] = range;
  if (range.length !== 2 || first === undefined || last === undefined) {
    throw new Error("Invalid `view_range`. It should be a list of two integers.");
  }
  const fault = (why: string) =>
    new Error(`Invalid \`view_range\`: [${range.join(", ")}]. Its ${why}`);
  if (first < 1 || first > count) {
    throw fault(
      `first element \`${first}\` should be within the range of lines of the file: [1, ${count}]`,
    );
  }
  if (last > count) {
    throw fault(
      `second element \`${last}\` should be smaller than the number of lines in the file: \`${count}\``,
    );
  }
  if (last !== -1 && last < first) {
    throw fault(`second element \`${last}\` should be larger or equal than its first \`${first}\``);
  }
  return [first, last === -1 ? count : last];
}
