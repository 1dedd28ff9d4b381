import { plural } from "../../base/text/amounts.ts";
import { EnoughError, Page } from "../search/page.ts";
import type { Definition } from "./file_names.ts";
import { errorPlaces, type ParsedFile, sourceLine } from "./source_file.ts";

/** What an outline does not show of a function: its variables, and what its types have. */
const VARIABLES = new Set([
  ...["variable", "constant", "instance variable", "class variable", "property"],
]);

/** What it never shows. */
const DETAILS = new Set(["parameter", "type parameter"]);

/** What stands deeper is not indented further. */
const MAX_INDENT = 20;

/** Which lines of an outline are shown. */
export interface OutlineOptions {
  /** The path as it is shown. */
  path: string;
  /** How many lines to show. */
  limit: number;
  /** How many lines to pass over first. */
  offset: number;
}

/**
 * What a file defines as an indented tree: `3-9: class Shape – class Shape {`. Parameters
 * and the variables of functions are left out.
 */
export function outline(file: ParsedFile, { path, limit, offset }: OutlineOptions): string {
  const shown = file.definitions.filter(isShown);
  const page = new Page({ offset, limit, unit: "lines" });
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
      `[Not parsed wholly: errors at ${errorPlaces(file.errorLines)}; ` +
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

function isShown({ kind, isLocal }: Definition): boolean {
  return !DETAILS.has(kind) && !(isLocal && VARIABLES.has(kind));
}
