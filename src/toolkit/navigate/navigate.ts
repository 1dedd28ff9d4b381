import { plural } from "../../base/text/amounts.ts";
import { callFile } from "../files/call_file.ts";
import { missingError } from "../files/missing_error.ts";
import { quote, quotePath } from "../../base/text/quote.ts";
import { systemError } from "../../base/fs/system_error.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { EnoughError, Page } from "../search/page.ts";
import { shownFrom } from "../search/shown_path.ts";
import { Skipped } from "../search/skipped.ts";
import { findInFile, findInFolder, NameCount, type NameSearch } from "./find_name.ts";
import { type Dialect, dialects, dialectsOf, knownEndings } from "./languages.ts";
import { outline } from "./outline.ts";
import { parseFile } from "./parsed_file.ts";
import { SourceParser } from "./parser.ts";
import { readSource } from "./source_text.ts";
import { partialResult } from "../../base/async/interruption.ts";

/** The largest file that is looked at when a call names it, in bytes. */
const NAMED_LIMIT = 4 * 1024 * 1024;

/** What `navigate` is asked for. */
export interface NavigateRequest {
  /** The file, or the folder for a name. */
  path: string;
  /** The one language to look in, whatever the file's ending. */
  language: string | undefined;
  /** How many lines to show. */
  limit: number;
  /** How many lines to pass over first. */
  offset: number;
}

/** The outline of a file. Throws for what is missing, no text, or of no known language. */
export async function outlineOf(request: NavigateRequest, ctx: ToolContext): Promise<string> {
  const place = placeOf(request, ctx);
  const attempt = `Cannot outline ${quotePath(request.path)}`;
  if (place.isFolder) {
    throw new Error(`${attempt}: it is a folder; give a file, or look for a name's definitions`);
  }
  const known = languageOf(request);
  const source = readSource(place.path, NAMED_LIMIT);
  if ("fault" in source) throw new Error(`${attempt}: ${source.fault}`);
  using parser = await SourceParser.start(ctx.signal);
  const file = await parseFile(source.text, { dialects: known, parser });
  if (file === undefined) throw new Error(`${attempt}: it takes too long to parse`);
  return outline(file, { ...request, path: shownFrom(place.path, request.path)(place.path) });
}

/**
 * The definitions of a name, or its other occurrences, in a file or below a folder. Throws
 * for what is missing, and when the call is aborted, then with what was found so far.
 */
export async function occurrencesOf(
  request: NavigateRequest & Pick<NameSearch, "action" | "name">,
  ctx: ToolContext,
): Promise<string> {
  const place = placeOf(request, ctx);
  const known = place.isFolder ? [] : languageOf(request);
  const page = new Page({ offset: request.offset, limit: request.limit, unit: "lines" });
  const skipped = new Skipped();
  const count = new NameCount();
  using parser = await SourceParser.start(ctx.signal);
  const show = shownFrom(place.path, request.path);
  const search: NameSearch = { ...request, parser, page, skipped, show };
  const { signal, repositories } = ctx;
  const mayRead = (path: string) => ctx.mayRead(path);
  let isPartial = false;
  try {
    if (place.isFolder) {
      await findInFolder(place.path, search, { signal, mayRead, repositories, count });
    } else {
      await findInFile(place.path, search, { count, dialects: known, limit: NAMED_LIMIT });
    }
  } catch (error) {
    if (ctx.signal.aborted) isPartial = true;
    else if (!(error instanceof EnoughError)) throw error;
  }
  const notes = [...count.notes(), ...skipped.notes()];
  const { action, name, path } = request;
  if (isPartial) throw interrupted(request, { page, notes, signal: ctx.signal });
  if (!place.isFolder && skipped.reason !== undefined) {
    throw new Error(`Cannot look through ${quotePath(path)}: ${skipped.reason}`);
  }
  if (count.others > 0) {
    const other = action === "definitions" ? "references" : "definitions";
    notes.unshift(`[Not among them: ${plural(count.others, other.slice(0, -1))}; action ${other}]`);
  }
  if (page.total > 0) return page.text(notes);
  const files = plural(count.files, "file");
  const part = /^[$@]?[^.:]/.test(name) && /[.:]/.test(name)
    ? "; a name is looked for by its last part alone"
    : "";
  const none = `No ${action} of ${quote(name)} in ${quotePath(path)} (${files} in ${
    titles(request.language)
  })${part}`;
  return [none, ...notes].join("\n\n");
}

function titles(language: string | undefined): string {
  return language === undefined
    ? "known languages"
    : [...new Set(dialects.filter((each) => each.language === language).map((each) => each.title))]
      .join(" and ");
}

function placeOf(
  { path: given }: NavigateRequest,
  ctx: ToolContext,
): { path: string; isFolder: boolean } {
  const target = callFile(ctx, { given, action: "read" });
  try {
    return { path: target.path, isFolder: Deno.statSync(target.path).isDirectory };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw systemError(error, target);
    throw missingError(target);
  }
}

/** In what a named file may be written: a language that the call gives counts for any file. */
function languageOf({ path, language }: NavigateRequest): Dialect[] {
  const byName = dialectsOf(path, language);
  if (byName.length > 0) return byName;
  if (language !== undefined) return dialects.filter((each) => each.language === language);
  throw new Error(
    `Cannot tell the language of ${quotePath(path)}: known are ${knownEndings()}; ` +
      "language names that of any other file",
    { cause: { path } },
  );
}

function interrupted(
  { action, name, path }: NavigateRequest & Pick<NameSearch, "action" | "name">,
  { page, notes, signal }: { page: Page; notes: string[]; signal: AbortSignal },
): Error {
  const attempt = `Cannot finish the search for ${action} of ${quote(name)} in ${quotePath(path)}`;
  return partialResult(attempt, {
    signal,
    advice: "narrow it with path or language",
    total: page.total,
    text: () => page.text(notes),
  });
}
