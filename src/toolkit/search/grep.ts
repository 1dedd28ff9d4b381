import { otherFormHint } from "../../base/fs/other_form.ts";
import { lookAt, modeKind } from "../../base/fs/path_status.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { closedBelow } from "./closed.ts";
import { grepArguments } from "./grep_command.ts";
import { type GrepData, GrepPage } from "./grep_page.ts";
import { namedVersionControl, shownFrom } from "./paths.ts";
import { globBase, type Query, type SearchOptions } from "./query.ts";
import { untilEnough } from "./result_page.ts";
import { RgRecords } from "./rg_records.ts";
import { IGNORE_NOTE, runRipgrep, withIgnoreFiles } from "./ripgrep.ts";
import { addUnreadable } from "./ripgrep_messages.ts";
import { Skipped } from "./skipped.ts";

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
 * Throws for an invalid pattern, glob or type, and for a missing path. If the call is aborted, the
 * error has the results so far.
 */
export async function grep(
  request: GrepRequest,
  ctx: ToolContext,
): Promise<{ text: string; data: GrepData }> {
  const query = await queryOf(request, ctx);
  const { mode, offset } = request;
  const searched = `"${request.shownPattern ?? request.pattern}" in "${request.path ?? ctx.cwd}"`;
  const limit = request.limit || undefined;
  let page = new GrepPage({ mode, offset, limit });
  let skipped = new Skipped();
  const search = withIgnoreFiles(async (usesIgnoreFiles) => {
    page = new GrepPage({ mode, offset, limit });
    skipped = new Skipped();
    await searchWithRg(query, { page, skipped, ctx, usesIgnoreFiles });
  });
  const usedIgnoreFiles = await untilEnough(search, {
    signal: ctx.signal,
    attempt: `Cannot finish the search for ${searched}`,
    advice: "narrow it with path, glob or type",
    total: () => page.total,
    text: () => page.end(skipped.notes()).text,
  });
  if (query.isFile && page.total === 0 && skipped.reason !== undefined) {
    throw new Error(`Cannot search "${request.path}": ${skipped.reason}`);
  }
  const notes = [...skipped.notes(), ...(usedIgnoreFiles === false ? [IGNORE_NOTE] : [])];
  const isEmpty = page.total === 0;
  const { text, data } = page.end(notes);
  const none = `No matches for ${searched}${filtersOf(request)}`;
  if (isEmpty) notes.unshift(...await hintsFor(request, ctx));
  return { text: isEmpty ? [none, ...notes].join("\n\n") : text, data };
}

async function searchWithRg(
  query: Query,
  { page, skipped, ctx, usesIgnoreFiles }: {
    page: GrepPage;
    skipped: Skipped;
    ctx: ToolContext;
    usesIgnoreFiles: boolean;
  },
): Promise<void> {
  const { pattern, root, show } = query;
  // The kernel also lets names in a closed directory be listed, and closes single files itself.
  const closed = closedBelow(root, ctx)
    .filter(({ isDirectory }) => isDirectory || !ctx.kernelClosesPaths);
  const records = new RgRecords(query, page, closed.length > 0 ? ctx.mayRead : undefined);
  const messages = await runRipgrep(grepArguments(query, { ctx, closed }), {
    ...{ ctx, root, usesIgnoreFiles },
    onOutput: (bytes) => records.push(bytes),
  });
  records.end();
  const notGranted = closed.length === 0
    ? []
    : (await import("./closed_in_query.ts")).closedInQuery(closed, { query, ctx });
  addUnreadable([...messages, ...notGranted], { ctx, skipped, pattern, show });
}

async function queryOf(request: GrepRequest, ctx: ToolContext): Promise<Query> {
  const root = ctx.path(request.path ?? ".");
  const isFile = isFileAt(root, request.path ?? ctx.cwd, ctx);
  const globs = request.glob === undefined
    ? []
    : (await import("./glob_list.ts")).readGlobs(request.glob);
  if (request.type !== undefined) (await import("./find_type.ts")).checkType(request.type);
  const content = request.mode === "content";
  return {
    ...request,
    root,
    isFile,
    globs,
    cwd: ctx.cwd,
    before: content ? request.before : 0,
    after: content ? request.after : 0,
    onlyMatching: content && request.onlyMatching,
    show: shownFrom(root, request.path),
  };
}

function isFileAt(root: string, given: string, ctx: ToolContext): boolean {
  const status = lookAt(root);
  if (status === undefined) {
    const other = otherFormHint({ path: root, given }, (path) => ctx.mayRead(path));
    const why = `no such file or directory${other?.hint ?? ""}`;
    throw new Error(`Cannot search "${given}": ${why}`, {
      cause: { path: given },
    });
  }
  const kind = modeKind(status.mode);
  if (kind === "file" || kind === "directory") return kind === "file";
  throw new Error(`Cannot search "${given}": it is neither a file nor a directory`);
}

/** Hints on signs that have another meaning elsewhere, in the pattern and in globs. */
async function hintsFor({ pattern, glob, path }: GrepRequest, ctx: ToolContext): Promise<string[]> {
  const basic = /(?<!\\)(?:\\{2})*\\\|/.test(pattern)
    ? ['["\\|" in pattern matches the character "|"; for alternatives use "|"]']
    : [];
  if (glob === undefined || !/[[{]/.test(glob)) return basic;
  const [{ literalHint }, { readGlobs }] = await Promise.all([
    import("./literal_names.ts"),
    import("./glob_list.ts"),
  ]);
  const base = globBase({ root: ctx.path(path ?? "."), cwd: ctx.cwd });
  const mayRead = (path: string) => ctx.mayRead(path);
  const literal = readGlobs(glob).flatMap((each) => {
    const hint = each.startsWith("!")
      ? undefined
      : literalHint(each.replace(/^\//, ""), { base, mayRead });
    return hint === undefined ? [] : [`[In glob: ${hint}]`];
  });
  return [...basic, ...literal];
}

/** The globs and the type that files had to match, for the message that nothing matches. */
function filtersOf({ glob, type }: GrepRequest): string {
  const filters = Object.entries({ glob, type })
    .flatMap(([name, value]) => value === undefined ? [] : [`${name} "${value}"`]);
  const among = filters.length > 0 ? ` among files of ${filters.join(" and ")}` : "";
  const [left] = namedVersionControl(glob ?? "");
  return left === undefined ? among : `${among}; "${left}" is searched only when path names it`;
}
