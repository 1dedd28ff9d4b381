import { plural } from "../../base/text/amounts.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { type CompiledGlob, compileGlob, type GlobRequest, syntaxHints } from "./glob_pattern.ts";
import { Newest } from "./newest.ts";
import { namedVersionControl, VERSION_CONTROL } from "./paths.ts";
import { untilEnough } from "./result_page.ts";
import { isNotUtf8, Skipped } from "./skipped.ts";
import { entryPath, walk, type WalkEntry } from "./walk.ts";

/** The most names that are listed. */
const MAX_NAMES = 100;

/** The most ignored directories that a hint names. */
const MAX_NAMED = 3;

/** The results so far. */
interface GlobFindings {
  newest: Newest;
  skipped: Skipped;
  /** The number of matching files that ignore rules leave out. */
  ignored: number;
  /** The ignored directories that could contain a match, relative to the directory. */
  passed: string[];
  /** The number of matching files whose name is not UTF-8. */
  notUtf8: number;
}

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
  const newest = new Newest(MAX_NAMES);
  const listed = { newest, skipped: new Skipped(), ignored: 0, passed: [], notUtf8: 0 };
  const place = `"${glob.pattern}" in "${glob.shown}"`;
  await untilEnough(collect(glob, ctx, listed), {
    signal: ctx.signal,
    attempt: `Cannot finish looking for ${place}`,
    advice: "narrow the pattern or the path",
    total: () => newest.total,
    text: () => names(newest),
  });
  const { total } = newest;
  const none = [`No files match ${place}`, ...hints(glob, listed)];
  const odd = plural(listed.notUtf8, "file name");
  const filenames = newest.list().map(({ path }) => path);
  return {
    text: [
      total > 0 ? names(newest) : none.length === 1 ? none[0] : `${none.join(". ")}.`,
      ...(listed.notUtf8 === 0 ? [] : [`[${odd} cannot be opened: not UTF-8, shown with \uFFFD]`]),
      ...listed.skipped.notes(),
    ].join("\n\n"),
    data: {
      numFiles: filenames.length,
      filenames,
      totalMatches: total,
      truncated: total > filenames.length,
      countIsComplete: true,
    },
  };
}

async function collect(glob: CompiledGlob, ctx: ToolContext, listed: GlobFindings): Promise<void> {
  const { shown, matcher } = glob;
  const named = glob.named.join("/");
  const files = walk({
    root: glob.real,
    ctx,
    skipped: {
      add: (path, reason) =>
        listed.skipped.add(path.startsWith("/") ? shown : entryPath(shown, path), reason),
    },
    hidden: true,
    gitRulesFrom: glob.real,
    tellIgnored: true,
    leaveOut: VERSION_CONTROL.difference(namedVersionControl(glob.glob)),
    passBy: (relative) => {
      if (matcher.reaches(relative)) listed.passed.push(relative);
    },
    enter: (relative) => matcher.reaches(relative),
    exempt: (relative) => relative === named || named.startsWith(relative + "/"),
  });
  for await (const found of files) {
    if (!matcher.matches(found.relative) || isDirectoryLink(found)) continue;
    if (found.isIgnored) listed.ignored++;
    else add(found, entryPath(shown, found.relative), listed);
  }
}

function add(found: WalkEntry, path: string, listed: GlobFindings): void {
  try {
    const modified = Deno.lstatSync(found.path).mtime?.getTime() ?? 0;
    listed.newest.add({ path, modified });
  } catch (error) {
    const notUtf8 = isNotUtf8(found.relative, error);
    if (notUtf8) listed.notUtf8++;
    // Skip a file that was removed after its directory was read.
    if (notUtf8 || !(error instanceof Deno.errors.NotFound)) {
      listed.newest.add({ path, modified: 0 });
    }
  }
}

function isDirectoryLink(found: WalkEntry): boolean {
  if (!found.isSymlink) return false;
  try {
    return Deno.statSync(found.path).isDirectory;
  } catch {
    // A broken link, or one to a path that the flags do not allow, is listed like a file.
    return false;
  }
}

/**
 * Hints for a glob that matches nothing: on files and directories that ignore rules left out, of
 * which directories that the glob names come first, and on its syntax.
 */
function hints(glob: CompiledGlob, { newest, ignored, passed }: GlobFindings): string[] {
  if (newest.total > 0) return [];
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
  return [...hints, ...syntaxHints(glob)];
}

/** The names that are shown, and the number of the others. */
function names(newest: Newest): string {
  const paths = newest.list().map((file) => file.path);
  const rest = newest.total - paths.length;
  const lines = paths.join("\n");
  if (rest === 0) return lines;
  return `${lines}\n\n[The ${paths.length} newest of ${newest.total} files; ${rest} more: ` +
    `narrow the pattern or the path to see them]`;
}
