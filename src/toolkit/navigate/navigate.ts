import { plural } from "../../base/text/amounts.ts";
import { callFile } from "../files/call_file.ts";
import { missingError } from "../files/missing_error.ts";
import { quote, quotePath } from "../../base/text/quote.ts";
import { systemError } from "../../base/fs/system_error.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { EnoughError, ResultPage } from "../search/result_page.ts";
import { shownFrom } from "../search/paths.ts";
import { Skipped } from "../search/skipped.ts";
import { findInFile, findInFolder, NameCount, type NameSearch } from "./find_name.ts";
import { type Dialect, dialects, findDialects, knownEndings } from "./languages.ts";
import { formatOutline } from "./outline.ts";
import { parseFile, readSource } from "./source_file.ts";
import { SourceParser } from "./parser.ts";
import { partialResult } from "../../base/async/interruption.ts";

/** The largest file that a call may name, in bytes. */
const MAX_NAMED_FILE_BYTES = 4 * 1024 * 1024;

/** The arguments of a call of `navigate`. */
export interface NavigateRequest {
  /** The file, or the folder for a name. */
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
  if (place.isFolder) {
    throw new Error(`${attempt}: it is a folder; give a file, or look for a name's definitions`);
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
 * The definitions of a name, or its other occurrences, in a file or below a folder. Throws for a
 * missing path. If the call is aborted, the error has the results so far.
 */
export async function findOccurrences(
  request: NavigateRequest & Pick<NameSearch, "action" | "name">,
  ctx: ToolContext,
): Promise<string> {
  const place = placeOf(request, ctx);
  const known = place.isFolder ? [] : languageOf(request);
  const page = new ResultPage({ offset: request.offset, limit: request.limit, unit: "lines" });
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
      await findInFile(place.path, search, { count, dialects: known, limit: MAX_NAMED_FILE_BYTES });
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

/** The possible languages of a file. The language of the call applies to any file. */
function languageOf({ path, language }: NavigateRequest): Dialect[] {
  const byName = findDialects(path, language);
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
  { page, notes, signal }: { page: ResultPage; notes: string[]; signal: AbortSignal },
): Error {
  const attempt = `Cannot finish the search for ${action} of ${quote(name)} in ${quotePath(path)}`;
  return partialResult(attempt, {
    signal,
    advice: "narrow it with path or language",
    total: page.total,
    text: () => page.text(notes),
  });
}
