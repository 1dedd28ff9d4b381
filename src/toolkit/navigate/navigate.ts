import { plural } from "../../base/text/amounts.ts";
import { callFile } from "../files/call_file.ts";
import { missingError } from "../files/missing_error.ts";
import { quote, quotePath } from "../../base/text/quote.ts";
import { systemError } from "../../base/fs/system_error.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { EnoughError, ResultPage, untilEnough } from "../search/result_page.ts";
import { shownFrom } from "../search/paths.ts";
import { Skipped } from "../search/skipped.ts";
import { findInDirectory, findInFile, NameCount, type NameSearch } from "./find_name.ts";
import { type Dialect, dialects, findDialects, knownEndings } from "./languages.ts";
import type { NameDefinition } from "./file_names.ts";
import {
  formatErrorLines,
  type ParsedFile,
  parseFile,
  readSource,
  sourceLine,
  SourceParser,
} from "./source_file.ts";

/** The largest file that a call may name, in bytes. */
const MAX_NAMED_FILE_BYTES = 4 * 1024 * 1024;

/** The arguments of a call of `navigate`. */
interface NavigateRequest {
  /** The file, or the directory for a name. */
  path: string;
  /** The language, which overrides the file's extension. */
  language: string | undefined;
  /** The most lines to show. */
  limit: number;
  /** The number of lines to skip. */
  offset: number;
}

/** The outline of a file. Throws for a missing or binary file, and for an unknown language. */
export async function outlineFile(request: NavigateRequest, ctx: ToolContext): Promise<string> {
  const place = placeOf(request, ctx);
  const attempt = `Cannot outline ${quotePath(request.path)}`;
  if (place.isDirectory) {
    throw new Error(
      `${attempt}: it is a directory; give a file, or search for the definitions of a name`,
    );
  }
  const known = languageOf(request);
  const source = readSource(place.path, MAX_NAMED_FILE_BYTES);
  if ("fault" in source) throw new Error(`${attempt}: ${source.fault}`);
  using parser = await SourceParser.start(ctx.signal);
  const file = await parseFile(source.text, { dialects: known, parser });
  if (file === undefined) throw new Error(`${attempt}: it takes too long to parse`);
  return formatOutline(file, { ...request, path: shownFrom(place.path, request.path)(place.path) });
}

/**
 * The definitions of a name, or its other occurrences, in a file or below a directory. Throws for a
 * missing path. If the call is aborted, the error has the results so far.
 */
export async function findOccurrences(
  request: NavigateRequest & Pick<NameSearch, "action" | "name">,
  ctx: ToolContext,
): Promise<string> {
  const { action, name, path, language } = request;
  const place = placeOf(request, ctx);
  const known = place.isDirectory ? [] : languageOf(request);
  const page = new ResultPage({ ...request, unit: "lines" });
  const [skipped, count] = [new Skipped(), new NameCount()];
  using parser = await SourceParser.start(ctx.signal);
  const show = shownFrom(place.path, path);
  const search: NameSearch = { action, name, language, parser, count, page, skipped, show };
  const notesNow = () => [...count.notes(), ...skipped.notes()];
  const found = place.isDirectory
    ? findInDirectory(place.path, search, ctx)
    : findInFile(place.path, search, { dialects: known, limit: MAX_NAMED_FILE_BYTES });
  await untilEnough(found, {
    signal: ctx.signal,
    attempt: `Cannot finish the search for ${action} of ${quote(name)} in ${quotePath(path)}`,
    advice: "narrow it with path or language",
    total: () => page.total,
    text: () => page.text(notesNow()),
  });
  const notes = notesNow();
  if (!place.isDirectory && skipped.reason !== undefined) {
    throw new Error(`Cannot look through ${quotePath(path)}: ${skipped.reason}`);
  }
  if (count.others > 0) {
    const other = action === "definitions" ? "references" : "definitions";
    notes.unshift(`[Not among them: ${plural(count.others, other.slice(0, -1))}; action ${other}]`);
  }
  if (page.total > 0) return page.text(notes);
  const part = /^[$@]?[^.:]/.test(name) && /[.:]/.test(name)
    ? "; only the last part of a name is used"
    : "";
  const titles = dialects.filter((each) => each.language === language).map(({ title }) => title);
  const languages = titles.length === 0 ? "known languages" : [...new Set(titles)].join(" and ");
  const searched = `${plural(count.files, "file")} in ${languages}`;
  const none = `No ${action} of ${quote(name)} in ${quotePath(path)} (${searched})${part}`;
  return [none, ...notes].join("\n\n");
}

function placeOf(
  { path: given }: NavigateRequest,
  ctx: ToolContext,
): { path: string; isDirectory: boolean } {
  const target = callFile(ctx, { given, action: "read" });
  try {
    return { path: target.path, isDirectory: Deno.statSync(target.path).isDirectory };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw systemError(error, target);
    throw missingError(target);
  }
}

/** The possible languages of a file. The language of the call applies to any file. */
function languageOf({ path, language }: NavigateRequest): Dialect[] {
  const byName = findDialects(path, language);
  if (byName.length > 0) return byName;
  if (language !== undefined) return dialects.filter((each) => each.language === language);
  throw new Error(
    `Cannot determine the language of ${
      quotePath(path)
    }; known: ${knownEndings()}; for other files, set language`,
    { cause: { path } },
  );
}

/** The kinds of local definitions that an outline does not show. */
const VARIABLES = new Set([
  ...["variable", "constant", "instance variable", "class variable", "property"],
]);

/** The kinds that an outline never shows. */
const DETAILS = new Set(["parameter", "type parameter"]);

/** The deepest indentation. */
const MAX_INDENT = 20;

/**
 * The definitions of a file as an indented tree: `3-9: class Shape – class Shape {`. It does not
 * show parameters and the variables of functions.
 */
function formatOutline(
  file: ParsedFile,
  { path, limit, offset }: Pick<NavigateRequest, "path" | "limit" | "offset">,
): string {
  const shown = file.definitions.filter(isShown);
  const page = new ResultPage({ offset, limit, unit: "lines" });
  const { separator } = file.dialect.rules;
  try {
    for (const { kind, name, first, last, line, level } of shown) {
      const { text, isCut } = sourceLine(file.lines[line - 1], name);
      const indent = "  ".repeat(Math.min(level, MAX_INDENT));
      const place = first === last ? `${first}` : `${first}-${last}`;
      const at = name.lastIndexOf(separator);
      const own = at <= 0 ? name : name.slice(at + separator.length);
      page.add(`${indent}${place}: ${kind} ${own} – ${text}`, isCut);
    }
  } catch (error) {
    if (!(error instanceof EnoughError)) throw error;
  }
  const lines = file.lines.at(-1) === "" ? file.lines.length - 1 : file.lines.length;
  const head = `${path}: ${file.dialect.title}, ${plural(lines, "line")}`;
  const notes: string[] = [];
  if (shown.length === 0) notes.push("[No definitions]");
  if (file.errorLines.length > 0) {
    notes.push(
      `[Not completely parsed: errors at ${formatErrorLines(file.errorLines)}; ` +
        "definitions there may be missing]",
    );
  }
  return `${head}\n${page.text(notes)}`;
}

function isShown({ kind, isLocal }: NameDefinition): boolean {
  return !DETAILS.has(kind) && !(isLocal && VARIABLES.has(kind));
}
