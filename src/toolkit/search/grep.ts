import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { IgnoreRules } from "./ignore_rules.ts";
import { type GrepData, GrepPage } from "./grep_page.ts";
import { EnoughError } from "./result_page.ts";
import type { Query, SearchOptions } from "./query.ts";
import { namedVersionControl, shownFrom } from "./paths.ts";
import { Skipped } from "./skipped.ts";
import { splitGlobs } from "./glob_syntax.ts";
import { partialResult } from "../../base/async/interruption.ts";

/** The arguments of a Grep call. */
export interface GrepRequest extends SearchOptions {
  /** A glob, or several that are separated by commas or blanks. */
  glob: string | undefined;
  /** The file or folder; default: the working folder. */
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

/** The results of a search. */
export interface GrepResult {
  /** For a model: the results, and notes on them. */
  text: string;
  /** For a program: the results. */
  data: GrepData;
}

/**
 * Answers one Grep call with ripgrep. If ripgrep is missing or blocked, the built-in engine answers.
 * Throws for an invalid pattern, glob or type, and for a missing path. If the call is aborted, the
 * error has the results so far.
 */
export async function grep(request: GrepRequest, ctx: ToolContext): Promise<GrepResult> {
  const query = await queryOf(request, ctx);
  const { mode, offset } = request;
  const empty = () => ({
    page: new GrepPage({ mode, offset, limit: request.limit || undefined }),
    skipped: new Skipped(),
  });
  let found = empty();
  try {
    const isWhole = await searchWithHelper(query, ctx, found);
    if (!isWhole) await searchHere(query, ctx, found = empty());
  } catch (error) {
    if (ctx.signal.aborted) throw interrupted(request, ctx, found);
    if (!(error instanceof EnoughError)) throw error;
  }
  const { page, skipped } = found;
  if (query.isFile && page.total === 0 && skipped.reason !== undefined) {
    throw new Error(`Cannot search "${request.path}": ${skipped.reason}`);
  }
  const notes = skipped.notes();
  const none = page.total === 0 ? [noMatches(request, ctx), ...notes].join("\n\n") : undefined;
  const { text, data } = page.end(notes);
  return { text: none ?? text, data };
}

/** The results of a search so far. */
interface SoFar {
  page: GrepPage;
  skipped: Skipped;
}

/** Searches with ripgrep, if it is available. Returns whether the results are complete. */
async function searchWithHelper(
  query: Query,
  ctx: ToolContext,
  { page: results, skipped }: SoFar,
): Promise<boolean> {
  const rg = ctx.helper("rg");
  if (rg === undefined) return false;
  const { searchWithRg } = await import("./rg_engine.ts");
  const start = (args: readonly string[]) => ctx.spawn(rg, args);
  return await searchWithRg(query, { results, skipped, signal: ctx.signal, start });
}

/** Searches with the built-in engine. */
async function searchHere(
  query: Query,
  ctx: ToolContext,
  { page: results, skipped }: SoFar,
): Promise<void> {
  const { searchBuiltIn } = await import("./builtin_engine.ts");
  const { signal, repositories } = ctx;
  const mayRead = (path: string) => ctx.mayRead(path);
  await searchBuiltIn(query, { results, skipped, signal, mayRead, repositories });
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

function noMatches(request: GrepRequest, ctx: ToolContext): string {
  const filters = [
    request.glob === undefined ? "" : `glob "${request.glob}"`,
    request.type === undefined ? "" : `type "${request.type}"`,
  ].filter((filter) => filter !== "");
  const among = filters.length > 0 ? ` among files of ${filters.join(" and ")}` : "";
  const left = [...namedVersionControl(request.glob ?? "")][0];
  const hint = left === undefined ? "" : `; "${left}" is searched only when path names it`;
  return `No matches for "${request.shownPattern ?? request.pattern}" in "${
    request.path ?? ctx.cwd
  }"${among}${hint}`;
}

function interrupted(request: GrepRequest, ctx: ToolContext, { page, skipped }: SoFar): Error {
  const where = `"${request.shownPattern ?? request.pattern}" in "${request.path ?? ctx.cwd}"`;
  return partialResult(`Cannot finish the search for ${where}`, {
    signal: ctx.signal,
    advice: "narrow it with path, glob or type",
    total: page.total,
    text: () => page.end(skipped.notes()).text,
  });
}
