import { collectNames, type FileNames } from "./file_names.ts";
import type { Dialect } from "./languages.ts";
import type { SourceParser } from "./parser.ts";
import { readRegular } from "../../base/fs/system_file.ts";
import { trimSurrogates } from "../../base/text/truncate.ts";
import { byteSize } from "../../base/text/amounts.ts";

/** A parsed file. */
export interface ParsedFile extends FileNames {
  /** Its language. */
  dialect: Dialect;
  /** Its lines, without line ends. */
  lines: string[];
}

/**
 * Parses a text and finds all its names, or the occurrences of one name. It takes the first dialect
 * without syntax errors, or else the one with the fewest; dialects whose `sign` matches
 * come first. Returns `undefined` if parsing takes too long.
 */
export async function parseFile(
  text: string,
  options: { dialects: readonly Dialect[]; parser: SourceParser; name?: string | undefined },
): Promise<ParsedFile | undefined> {
  const { dialects, parser, name } = options;
  let best: (FileNames & { dialect: Dialect }) | undefined;
  const likelihood = ({ sign }: Dialect) => sign?.test(text) ? 0 : 1;
  for (const dialect of dialects.toSorted((a, b) => likelihood(a) - likelihood(b))) {
    const tree = await parser.parse(text, dialect);
    if (tree === undefined) continue;

    const found = await collectNames(tree, {
      rules: dialect.rules,
      name,
      yieldTurn: () => parser.yield(),
    })
      .finally(() => tree.delete());
    if (best === undefined || found.errorLines.length < best.errorLines.length) {
      best = { ...found, dialect };
    }
    if (best.errorLines.length === 0) break;
  }
  return best && { ...best, lines: text.split(/\r?\n/) };
}

const MARKS: readonly [encoding: string, ...bytes: number[]][] = [
  ["utf-16le", 0xff, 0xfe],
  ["utf-16be", 0xfe, 0xff],
];

/** A file's text, or the reason why it is not searched. */
export type SourceText = { text: string } | { fault: string };

/**
 * Reads a regular file of at most `limit` bytes, in UTF-8, or in UTF-16 with a byte order mark, which
 * is removed. Throws the errors of the system.
 */
export function readSource(path: string, limit: number): SourceText {
  const { isFile, size } = Deno.statSync(path);
  if (!isFile) return { fault: "it is not a regular file" };
  if (size > limit) return { fault: `${byteSize(size)}, and ${byteSize(limit)} is the most` };
  const bytes = readRegular(path);
  const [encoding] = MARKS.find(([, ...mark]) => mark.every((byte, at) => bytes[at] === byte)) ??
    ["utf-8"];
  if (encoding === "utf-8" && bytes.includes(0)) return { fault: "it is binary" };
  return { text: new TextDecoder(encoding).decode(bytes) };
}

/** The longest line that is shown, in UTF-16 units. */
const MAX_LINE = 300;

/** A line of source to show: trimmed, and truncated if it is long. */
export function sourceLine(line = ""): { text: string; isCut: boolean } {
  const text = line.trim();
  if (text.length <= MAX_LINE) return { text, isCut: false };
  const kept = trimSurrogates(text.slice(0, MAX_LINE));
  return { text: `${kept} [… cut: a line of ${text.length} characters]`, isCut: true };
}

/** The most lines with errors that a message names. */
const MAX_LINES = 5;

/** The lines with syntax errors as a text: `line 3`, `lines 3, 9 and 12 more`. */
export function formatErrorLines(lines: readonly number[]): string {
  const all = [...new Set(lines)];
  const rest = all.length - MAX_LINES;
  const named = all.slice(0, MAX_LINES).join(", ");
  return `line${all.length === 1 ? "" : "s"} ${named}${rest > 0 ? ` and ${rest} more` : ""}`;
}
