import { byteSize } from "../../../base/text/amounts.ts";
import { firstDifference } from "./first_difference.ts";
import { MAX_SEARCHED, mistakeHint } from "./mistake_hint.ts";
import { nearestRegion, onlyDifferences } from "./nearest_region.ts";
import { cannot, type FileTarget } from "../../../base/fs/system_error.ts";
import { truncate } from "../../../base/text/truncate.ts";

const MAX_LINES = 20;
const MAX_CHARACTERS = 200;

/**
 * The error for a text that a file does not contain. It shows the most similar lines with their
 * numbers. It names the difference if that is only in whitespace, quotes, line ends or the like, and
 * the first differing character if that cannot be seen. Only the first 8 MiB are searched.
 */
export function noMatchError(
  bytes: Uint8Array<ArrayBuffer>,
  options: { target: FileTarget; oldText: string; newText: string },
): Error {
  const { target, oldText, newText } = options;
  const hint = mistakeHint(bytes, { oldText, newText, noun: "old_string" });
  const { report, nearest } = nearestReport(bytes, { oldText, noun: "old_string" });
  const message = `${cannot(target)}: old_string was not found${hint}; ${report}`;
  return nearest === undefined ? new Error(message) : new Error(message, { cause: { nearest } });
}

/**
 * The lines of a file that are most similar to `oldText`, as the end of a message, and their
 * numbers if there are any. `noun` names the text.
 */
export function nearestReport(
  bytes: Uint8Array<ArrayBuffer>,
  { oldText, noun }: { oldText: string; noun: string },
): { report: string; nearest?: { firstLine: number; lastLine: number } } {
  const text = new TextDecoder().decode(bytes.subarray(0, MAX_SEARCHED));
  const [lines, wanted] = [text.split("\n"), wantedLines(oldText)];
  const region = nearestRegion(lines, wanted);
  if (!region) {
    const limit = bytes.length > MAX_SEARCHED ? ` in its first ${byteSize(MAX_SEARCHED)}` : "";
    return {
      report: `nothing similar was found${limit}; read the file again and copy the text exactly`,
    };
  }
  // Newlines at the start and the end of the sought text are compared too.
  const blank = oldText.split("\n").length - wanted.length;
  const from = Math.max(0, region.start - 1 - blank);
  const around = lines.slice(from, region.end + 1 + blank).join("\n");
  const kinds = onlyDifferences(around, oldText);
  const found = lines.slice(region.start, region.end);
  const what = differenceOf(found, { from: region.start, wanted, kinds });
  const difference = firstDifference(around, {
    wanted: wanted.join("\n"),
    noun,
    firstLine: from + 1,
    isShown: (line, character) => line <= region.start + MAX_LINES && character < MAX_CHARACTERS,
  });
  const detail = difference === undefined ? "" : `\n[${difference}]`;
  return {
    report: `${what}:\n${numbered(lines, region)}${detail}`,
    nearest: { firstLine: region.start + 1, lastLine: region.end },
  };
}

/** Removes blank lines around the sought text, which do not help to find it. */
function wantedLines(oldText: string): string[] {
  const lines = oldText.split("\n");
  while (lines.length > 1 && lines[0]?.trim() === "") lines.shift();
  while (lines.length > 1 && lines.at(-1)?.trim() === "") lines.pop();
  return lines;
}

/** The difference of lines of the file, which begin at the index `from`, and the wanted ones. */
function differenceOf(
  lines: readonly string[],
  { from, wanted, kinds }: {
    from: number;
    wanted: readonly string[];
    kinds: readonly string[];
  },
): string {
  const where = lines.length === 1
    ? `line ${from + 1}`
    : `lines ${from + 1} to ${from + lines.length}`;
  if (kinds.length > 0) {
    const verb = kinds.join() === "whitespace" ? "differs" : "differ";
    return `only ${kinds.join(" and ")} ${verb} from ${where}`;
  }
  const index = wanted.length < 2 ? -1 : wanted.findIndex((line, i) => line !== lines[i]);
  const first = index < 0 ? "" : `; the first difference is in line ${from + 1 + index}`;
  return `the most similar region is ${where}${first}`;
}

function numbered(
  lines: readonly string[],
  { start, end }: { start: number; end: number },
): string {
  const shown = lines.slice(start, Math.min(end, start + MAX_LINES)).map((line, index) =>
    `${String(start + 1 + index).padStart(6)}\t${truncate(line, MAX_CHARACTERS)}` +
    (line.length > MAX_CHARACTERS ? " [... cut]" : "")
  );
  if (end - start > MAX_LINES) shown.push(`[... up to line ${end}]`);
  return shown.join("\n").replaceAll("\r", "");
}
