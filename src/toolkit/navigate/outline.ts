import { plural } from "../../base/text/amounts.ts";
import { EnoughError, ResultPage } from "../search/result_page.ts";
import type { NameDefinition } from "./file_names.ts";
import { formatErrorLines, type ParsedFile, sourceLine } from "./source_file.ts";

/** The kinds of local definitions that an outline does not show. */
const VARIABLES = new Set([
  ...["variable", "constant", "instance variable", "class variable", "property"],
]);

/** The kinds that an outline never shows. */
const DETAILS = new Set(["parameter", "type parameter"]);

/** The deepest indentation. */
const MAX_INDENT = 20;

/** The requested lines of an outline. */
export interface OutlineOptions {
  /** The path to show. */
  path: string;
  /** The most lines to show. */
  limit: number;
  /** The number of lines to skip. */
  offset: number;
}

/**
 * The definitions of a file as an indented tree: `3-9: class Shape – class Shape {`. It does not show
 * parameters and the variables of functions.
 */
export function formatOutline(file: ParsedFile, { path, limit, offset }: OutlineOptions): string {
  const shown = file.definitions.filter(isShown);
  const page = new ResultPage({ offset, limit, unit: "lines" });
  try {
    for (const { kind, name, first, last, line, level } of shown) {
      const { text, isCut } = sourceLine(file.lines[line - 1]);
      const place = first === last ? `${first}` : `${first}-${last}`;
      page.add(
        `${"  ".repeat(Math.min(level, MAX_INDENT))}${place}: ${kind} ${lastPart(name)} – ${text}`,
        isCut,
      );
    }
  } catch (error) {
    if (!(error instanceof EnoughError)) throw error;
  }
  const lines = file.lines.at(-1) === "" ? file.lines.length - 1 : file.lines.length;
  const head = `${path}: ${file.dialect.title}, ${plural(lines, "line")}`;
  const notes: string[] = [];
  if (shown.length === 0) notes.push("[It defines nothing]");
  if (file.errorLines.length > 0) {
    notes.push(
      `[Not parsed wholly: errors at ${formatErrorLines(file.errorLines)}; ` +
        "definitions there may be missing]",
    );
  }
  return `${head}\n${page.text(notes)}`;

  function lastPart(name: string): string {
    const { separator } = file.dialect.rules;
    const at = name.lastIndexOf(separator);
    return at <= 0 ? name : name.slice(at + separator.length);
  }
}

function isShown({ kind, isLocal }: NameDefinition): boolean {
  return !DETAILS.has(kind) && !(isLocal && VARIABLES.has(kind));
}
