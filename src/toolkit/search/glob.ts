import { plural } from "../../base/text/amounts.ts";
import { isRealDirectory, lookAt, modeKind } from "../../base/fs/path_status.ts";
import { fileCalls } from "../../base/fs/system_file.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { type CompiledGlob, compileGlob, type GlobRequest, syntaxHints } from "./glob_pattern.ts";
import { walkGlob, type WalkResults } from "./glob_walk.ts";
import { literalHint } from "./literal_names.ts";
import { Newest } from "./newest.ts";
import { compareDepthFirst, entryPath } from "./paths.ts";
import { untilEnough } from "./result_page.ts";
import { IGNORE_NOTE, withIgnoreFiles } from "./ripgrep.ts";
import { addUnreadable } from "./ripgrep_messages.ts";
import { Skipped } from "./skipped.ts";

/** The most names that are listed. */
const MAX_NAMES = 100;

/** The most ignored directories that a hint names. */
const MAX_NAMED = 3;

/** The files of a glob. */
interface GlobResult {
  /** For a model: their paths, and notes on them. */
  text: string;
  /** For a program, named as in the published output of Glob. */
  data: {
    numFiles: number;
    filenames: string[];
    totalMatches: number;
    truncated: boolean;
    countIsComplete: boolean;
  };
}

/**
 * Answers one Glob call: the absolute paths of the matching files, the newest
 * first. Throws for an invalid glob, one that leaves the directory, a missing
 * directory, and when the call is aborted.
 */
export async function listGlob(request: GlobRequest, ctx: ToolContext): Promise<GlobResult> {
  const glob = compileGlob(request, ctx);
  const found = new GlobFindings(glob, ctx);
  const place = `"${glob.pattern}" in "${glob.shown}"`;
  const usedIgnoreFiles = await untilEnough(found.collect(ctx), {
    signal: ctx.signal,
    attempt: `Cannot finish looking for ${place}`,
    advice: "narrow the pattern or the path",
    total: () => found.newest.total,
    text: () => listed(found),
  });
  const { newest, notUtf8, skipped } = found;
  const none = [`No files match ${place}`, ...hints(glob, found)];
  const odd = plural(notUtf8, "file name");
  const filenames = found.names();
  return {
    text: [
      newest.total > 0 ? listed(found) : none.length === 1 ? none[0] : `${none.join(". ")}.`,
      ...(notUtf8 === 0 ? [] : [`[${odd} cannot be opened: not UTF-8, shown with \uFFFD]`]),
      ...skipped.notes(),
      ...(usedIgnoreFiles === false ? [IGNORE_NOTE] : []),
    ].join("\n\n"),
    data: {
      numFiles: filenames.length,
      filenames,
      totalMatches: newest.total,
      truncated: newest.total > filenames.length,
      countIsComplete: true,
    },
  };
}

/** The results so far. */
class GlobFindings implements WalkResults {
  newest = new Newest(MAX_NAMES);
  skipped = new Skipped();
  /** The number of matching files whose name is not UTF-8. */
  notUtf8 = 0;
  /** The entries that ignore rules leave out, while nothing is found. */
  #ignored: string[] = [];
  /** The length of the directory's path with a slash at its end. */
  readonly #start: number;

  constructor(readonly glob: CompiledGlob, readonly ctx: ToolContext) {
    this.#start = entryPath(glob.real, "").length;
  }

  /** Searches. Returns whether ignore files counted. */
  collect(ctx: ToolContext): Promise<boolean> {
    // From now on this thread looks at paths by the C library, where it may use it.
    fileCalls();
    const { pattern, real, shown } = this.glob;
    return withIgnoreFiles(async (usesIgnoreFiles) => {
      this.restart();
      const messages = await walkGlob(this.glob, { ctx, results: this, usesIgnoreFiles });
      addUnreadable(messages, {
        ...{ ctx, skipped: this.skipped, pattern },
        show: (path) => path === real ? shown : entryPath(shown, this.#relative(path)),
      });
    });
  }

  restart(): void {
    this.newest = new Newest(MAX_NAMES);
    this.skipped = new Skipped();
    this.notUtf8 = 0;
    this.#ignored = [];
  }

  file(path: string): void {
    if (!this.glob.matcher.matches(path.slice(this.#start))) return;
    const status = lookAt(path);
    if (status === undefined) {
      // The decoder replaces bytes that are not UTF-8, and then no file has that name. Any other
      // file was removed after its directory was read.
      if (!path.includes("\uFFFD", this.#start)) return;
      this.notUtf8++;
    } else if (modeKind(status.mode) === "symlink" && this.#leadsToDirectory(path)) return;
    this.newest.add({ path, modified: status?.changed ?? 0 });
  }

  ignored(path: string): void {
    if (this.newest.total === 0) this.#ignored.push(path);
  }

  /** The paths of the newest files, as the caller named the directory. */
  names(): string[] {
    return this.newest.list().map(({ path }) => entryPath(this.glob.shown, this.#relative(path)));
  }

  /** The number of matching files, and the directories with possible matches, that are ignored. */
  leftOut(): { files: number; directories: string[] } {
    const { matcher } = this.glob;
    const directories: string[] = [];
    let files = 0;
    for (const path of this.#ignored) {
      const relative = this.#relative(path);
      if (isRealDirectory(path)) {
        if (matcher.reaches(relative)) directories.push(relative);
      } else if (matcher.matches(relative)) files++;
    }
    return { files, directories: directories.sort(compareDepthFirst) };
  }

  #relative(path: string): string {
    return path.slice(this.#start);
  }

  /** A broken symlink, or one to a path that the flags do not allow, counts as a file. */
  #leadsToDirectory(path: string): boolean {
    try {
      return Deno.statSync(path).isDirectory && this.ctx.mayRead(Deno.realPathSync(path));
    } catch {
      return false;
    }
  }
}

/**
 * Hints for a glob that matches nothing: on files and directories that ignore rules left out, of
 * which directories that the glob names come first, and on its syntax.
 */
function hints(glob: CompiledGlob, found: GlobFindings): string[] {
  if (found.newest.total > 0) return [];
  const { files: ignored, directories: passed } = found.leftOut();
  const hints: string[] = [];
  if (ignored > 0) {
    const files = ignored === 1 ? "1 matching file is" : `${ignored} matching files are`;
    hints.push(
      `${files} ignored; begin the pattern with the directory's path to list ignored files`,
    );
  }
  if (passed.length > 0) {
    const parts = new Set(glob.glob.split(/[/{},]/));
    const isMeant = (path: string) => parts.has(path.slice(path.lastIndexOf("/") + 1));
    const names = passed.toSorted((a, b) => Number(isMeant(b)) - Number(isMeant(a)));
    const shown = names.slice(0, MAX_NAMED).map((name) => `"${name}"`).join(", ");
    const rest = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "";
    hints.push(
      `Ignored directories were not searched: ${shown}${rest}`,
      `To search one, begin the pattern with its path, such as "${names[0]}/**"`,
    );
  }
  const { mayRead } = found.ctx;
  const literal = literalHint(glob.glob, { base: glob.real, mayRead });
  return [...hints, ...(literal === undefined ? syntaxHints(glob) : [literal])];
}

/** The names that are shown, and the number of the others. */
function listed(found: GlobFindings): string {
  const [names, { total }] = [found.names(), found.newest];
  const rest = total - names.length;
  const lines = names.join("\n");
  if (rest === 0) return lines;
  return `${lines}\n\n[The ${names.length} newest of ${total} files; ${rest} more: ` +
    `narrow the pattern or the path to see them]`;
}
