import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { IgnoreRules } from "./ignore_rules.ts";
import { type GrepData, GrepPage } from "./grep_page.ts";
import { untilEnough } from "./result_page.ts";
import type { Query, SearchOptions } from "./query.ts";
import { namedVersionControl, shownFrom } from "./paths.ts";
import { Skipped } from "./skipped.ts";
import { splitGlobs } from "./glob_syntax.ts";

/** The arguments of a Grep call. */
interface GrepRequest extends SearchOptions {
  /** A glob, or several that are separated by commas or blanks. */
  glob: string | undefined;
  /** The file or directory; default: the working directory. */
  path: string | undefined;
  /** A file type's name. */
  type: string | undefined;
  /** The most lines or files to show; 0 or undefined for all that fit. */
  limit: number | undefined;
  /** The number of lines or files to skip. */
  offset: number;
  /** The name of the pattern in messages; default: the pattern. */
  shownPattern?: string;
}

/**
 * Answers one Grep call with ripgrep: as a text with notes for a model, and as data for a program.
 * If ripgrep is missing or blocked, the built-in engine answers. Throws for an invalid pattern,
 * glob or type, and for a missing path. If the call is aborted, the error has the results so far.
 */
export async function grep(
  request: GrepRequest,
  ctx: ToolContext,
): Promise<{ text: string; data: GrepData }> {
  const query = await queryOf(request, ctx);
  const { mode, offset } = request;
  const searched = `"${request.shownPattern ?? request.pattern}" in "${request.path ?? ctx.cwd}"`;
  const empty = () => ({
    page: new GrepPage({ mode, offset, limit: request.limit || undefined }),
    skipped: new Skipped(),
  });
  let found = empty();
  const search = async () => {
    const program = ctx.helper("rg");
    if (program !== undefined) {
      const { searchWithRg } = await import("./rg_engine.ts");
      if (await searchWithRg(query, found, { ctx, program })) return;
      found = empty();
    }
    const { searchBuiltIn } = await import("./builtin_engine.ts");
    await searchBuiltIn(query, found, ctx);
  };
  await untilEnough(search(), {
    signal: ctx.signal,
    attempt: `Cannot finish the search for ${searched}`,
    advice: "narrow it with path, glob or type",
    total: () => found.page.total,
    text: () => found.page.end(found.skipped.notes()).text,
  });
  const { page, skipped } = found;
  if (query.isFile && page.total === 0 && skipped.reason !== undefined) {
    throw new Error(`Cannot search "${request.path}": ${skipped.reason}`);
  }
  const notes = skipped.notes();
  const isEmpty = page.total === 0;
  const { text, data } = page.end(notes);
  const none = `No matches for ${searched}${filtersOf(request)}`;
  return { text: isEmpty ? [none, ...notes].join("\n\n") : text, data };
}

async function queryOf(request: GrepRequest, ctx: ToolContext): Promise<Query> {
  const root = ctx.path(request.path ?? ".");
  const isFile = isFileAt(root, request.path ?? ctx.cwd);
  const globs = request.glob === undefined ? [] : splitGlobs(request.glob);
  for (const glob of globs) checkGlob(glob);
  const type = request.type === undefined
    ? undefined
    : (await import("./find_type.ts")).findType(request.type);
  const content = request.mode === "content";
  return {
    ...request,
    root,
    isFile,
    globs,
    cwd: ctx.cwd,
    type,
    before: content ? request.before : 0,
    after: content ? request.after : 0,
    onlyMatching: content && request.onlyMatching,
    show: shownFrom(root, request.path),
  };
}

function isFileAt(root: string, given: string): boolean {
  try {
    const info = Deno.statSync(root);
    if (info.isFile || info.isDirectory) return info.isFile;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new Error(`Cannot search "${given}": no such file or folder`, { cause: { path: given } });
  }
  throw new Error(`Cannot search "${given}": it is neither a file nor a folder`);
}

function checkGlob(glob: string): void {
  try {
    new IgnoreRules().add(glob);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Error(`Invalid glob "${glob}": ${error.message}`, { cause: { glob } });
  }
}

/** The globs and the type that files had to match, for the message that nothing matches. */
function filtersOf({ glob, type }: GrepRequest): string {
  const filters = Object.entries({ glob, type })
    .flatMap(([name, value]) => value === undefined ? [] : [`${name} "${value}"`]);
  const among = filters.length > 0 ? ` among files of ${filters.join(" and ")}` : "";
  const [left] = namedVersionControl(glob ?? "");
  return left === undefined ? among : `${among}; "${left}" is searched only when path names it`;
}
