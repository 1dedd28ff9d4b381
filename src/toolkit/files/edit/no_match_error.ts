import { byteSize } from "../../../base/text/amounts.ts";
import { firstDifference, onlyDifferences } from "./text_differences.ts";
import { type LineRange, nearestRegion } from "./nearest_region.ts";
import { cannot, type FileTarget } from "../../../base/fs/system_error.ts";
import { truncate } from "../../../base/text/truncate.ts";

const MAX_SEARCHED = 8 * 1024 * 1024;
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
  const text = new TextDecoder().decode(bytes.subarray(0, MAX_SEARCHED));
  const hint = copyMistake(text, oldText) ?? alreadyDone(text, newText) ?? "";
  const start = `${cannot(target)}: old_string is not in the file, character for character${hint}`;
  const region = nearestRegion(text.split("\n"), wantedLines(oldText));
  if (!region) {
    const limit = bytes.length > MAX_SEARCHED ? ` in its first ${byteSize(MAX_SEARCHED)}` : "";
    return new Error(`${start}; nothing like it was found${limit}; Read shows what the file holds`);
  }
  return new Error(`${start}; ${described(text, { region, oldText })}`, {
    cause: { nearest: { firstLine: region.start + 1, lastLine: region.end } },
  });
}

/** Removes blank lines around the sought text, which do not help to find it. */
function wantedLines(oldText: string): string[] {
  const lines = oldText.split("\n");
  while (lines.length > 1 && lines[0]?.trim() === "") lines.shift();
  while (lines.length > 1 && lines.at(-1)?.trim() === "") lines.pop();
  return lines;
}

function described(text: string, found: { region: LineRange; oldText: string }): string {
  const { start, end } = found.region;
  const lines = text.split("\n").slice(start, end);
  const around = text.split("\n").slice(Math.max(0, start - 1), end + 1).join("\n");
  const kinds = onlyDifferences(around, found.oldText);
  const where = end === start + 1 ? `line ${end}` : `lines ${start + 1} to ${end}`;
  const what = kinds.length > 0
    ? `only ${kinds.join(" and ")} ${
      kinds.join() === "whitespace" ? "differs" : "differ"
    } from ${where}`
    : `the nearest region is ${where}${firstLine(lines, { start, oldText: found.oldText })}`;
  const difference = firstDifference(around, wantedLines(found.oldText).join("\n"));
  const detail = difference === undefined ? "" : `\n[First difference: ${difference}]`;
  const shown = lines.slice(0, MAX_LINES).map((line, index) =>
    `${String(start + 1 + index).padStart(6)}\t${truncate(line, MAX_CHARACTERS)}` +
    (line.length > MAX_CHARACTERS ? " [... cut]" : "")
  );
  if (lines.length > MAX_LINES) shown.push(`[... up to line ${end}]`);
  return `${what}:\n${shown.join("\n").replaceAll("\r", "")}${detail}`;
}

function firstLine(
  lines: readonly string[],
  { start, oldText }: { start: number; oldText: string },
): string {
  const wanted = wantedLines(oldText);
  if (wanted.length < 2) return "";
  const index = wanted.findIndex((line, i) => line !== lines[i]);
  return index < 0 ? "" : `, and the first difference is in line ${start + 1 + index}`;
}

/** Returns a hint for two mistakes of callers that copy from a tool's result. */
function copyMistake(text: string, oldText: string): string | undefined {
  const unnumbered = oldText.replace(/^ *\d+\t/gm, "");
  if (unnumbered !== oldText && text.includes(unnumbered)) {
    return "; it starts its lines with the numbers that Read shows: leave them and the tab out";
  }
  const characters: Record<string, string> = { n: "\n", t: "\t" };
  const unescaped = oldText.replace(/\\(["'`nt\\])/g, (_, key: string) => characters[key] ?? key);
  if (unescaped !== oldText && text.includes(unescaped)) {
    return "; it has backslash sequences where the file has the characters themselves";
  }
  return undefined;
}

/** Returns a hint for a repeated edit, which finds its own result. */
function alreadyDone(text: string, newText: string): string | undefined {
  const at = newText.trim().length < 3 ? -1 : text.indexOf(newText);
  if (at < 0) return undefined;
  return `; new_string is there already, at line ${text.slice(0, at).split("\n").length}`;
}
