import { byteSize } from "../../../base/text/amounts.ts";
import { encodingConflict } from "./encoding_conflict.ts";
import { nearestRegion, onlyDifferences } from "./nearest_region.ts";
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
  const conflict = encodingConflict(bytes, { text: oldText, noun: "old_string" });
  const hint = conflict !== undefined
    ? `: ${conflict}`
    : copyMistake(text, oldText) ?? alreadyDone(text, newText) ?? "";
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
  const around = lines.slice(Math.max(0, region.start - 1), region.end + 1).join("\n");
  const kinds = onlyDifferences(around, oldText);
  const found = lines.slice(region.start, region.end);
  const what = differenceOf(found, { from: region.start, wanted, kinds });
  const difference = firstDifference(around, { wanted: wanted.join("\n"), noun });
  const detail = difference === undefined ? "" : `\n[First difference: ${difference}]`;
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

/** Returns a hint for two mistakes of callers that copy from a tool's result. */
function copyMistake(text: string, oldText: string): string | undefined {
  const unnumbered = oldText.replace(/^ *\d+\t/gm, "");
  if (unnumbered !== oldText && text.includes(unnumbered)) {
    return "; its lines start with the line numbers that Read shows: omit them and the tab";
  }
  const characters: Record<string, string> = { n: "\n", t: "\t" };
  const unescaped = oldText.replace(/\\(["'`nt\\])/g, (_, key: string) => characters[key] ?? key);
  if (unescaped !== oldText && text.includes(unescaped)) {
    return "; it has escape sequences where the file has the characters themselves";
  }
  return undefined;
}

/** Returns a hint for a repeated edit, which finds its own result. */
function alreadyDone(text: string, newText: string): string | undefined {
  const at = newText.trim().length < 3 ? -1 : text.indexOf(newText);
  if (at < 0) return undefined;
  return `; new_string is already in the file, at line ${text.slice(0, at).split("\n").length}`;
}

/** The largest part of two texts that is compared, in UTF-16 units. */
const MAX_COMPARED = 4_000;

/** Characters that look like others or like nothing. */
const NAMES: Readonly<Record<number, string>> = {
  0x09: "tab",
  0x0d: "carriage return",
  0x20: "space",
  0xa0: "no-break space",
  0xad: "soft hyphen",
  0x2010: "hyphen",
  0x2011: "non-breaking hyphen",
  0x2013: "en dash",
  0x2014: "em dash",
  0x200b: "zero-width space",
  0x200c: "zero-width non-joiner",
  0x200d: "zero-width joiner",
  0x202f: "narrow no-break space",
  0x2212: "minus sign",
  0x3000: "ideographic space",
  0xfeff: "byte order mark",
};

/**
 * The first difference, by code points, between `wanted` and the most similar place in `text`. An
 * example is `the file has U+00A0 (no-break space) where old_string has U+0020 (space)`. Returns
 * `undefined` when nothing is similar, or when the difference can be seen because both characters
 * are ASCII.
 */
function firstDifference(
  text: string,
  { wanted, noun }: { wanted: string; noun: string },
): string | undefined {
  const [here, sought] = [text.slice(0, MAX_COMPARED), wanted.slice(0, MAX_COMPARED)];
  let best = { length: 0, at: 0 };
  for (let at = 0; at < here.length; at++) {
    let length = 0;
    while (length < sought.length && here[at + length] === sought[length]) length++;
    if (length > best.length) best = { length, at };
  }
  const [theirs, ours] = [here.slice(best.at + best.length), sought.slice(best.length)];
  if (best.length === 0 || theirs === "" || ours === "") return undefined;
  const [found, asked] = [letterOf(theirs), letterOf(ours)];
  // deno-lint-ignore no-control-regex
  if (/^[\x00-\x7f]*$/.test(found + asked)) return undefined;
  return `the file has ${named(found)} where ${noun} has ${named(asked)}`;
}

/** The first character with its combining marks. */
function letterOf(text: string): string {
  return /^.\p{M}*/su.exec(text)?.[0] ?? "";
}

function named(letter: string): string {
  const points = [...letter].map((each) => each.codePointAt(0)!);
  const codes = points.map((point) => `U+${point.toString(16).toUpperCase().padStart(4, "0")}`);
  const name = NAMES[points[0]!];
  if (name !== undefined) return `${codes.join(" ")} (${name})`;
  return /^[\p{L}\p{N}\p{P}\p{S}]/u.test(letter)
    ? `${codes.join(" ")} (${letter})`
    : codes.join(" ");
}
