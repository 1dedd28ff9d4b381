/** Walks the directory of a Glob call with ripgrep. */

import { dirname } from "@std/path/posix/dirname";
import { NamedError } from "../../base/errors.ts";
import { isRealDirectory, lookAt, modeKind } from "../../base/fs/path_status.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { closedBelow, type ClosedPath } from "./closed.ts";
import type { CompiledGlob } from "./glob_pattern.ts";
import { entryPath, namedVersionControl } from "./paths.ts";
import type { SearchContext } from "./query.ts";
import { exclusions, runRipgrep } from "./ripgrep.ts";
import type { RipgrepMessage } from "./ripgrep_messages.ts";
import { NOT_GRANTED } from "./skipped.ts";
import { followRules, type WalkRules } from "./walk_rules.ts";

/** The receiver of a walk's entries, by their real paths. */
export interface WalkResults {
  /** Forgets all entries, because the walk begins again. */
  restart(): void;
  /** Takes a file, or a symlink that leads to no directory. */
  file(path: string): void;
  /** Takes an entry that ignore rules exclude. */
  ignored(path: string): void;
}

/** The options of a walk. */
interface WalkOptions {
  ctx: SearchContext & Pick<ToolContext, "repositories">;
  results: WalkResults;
  /** Whether ignore files count. */
  usesIgnoreFiles: boolean;
}

/** The lines of ripgrep's log that matter: two kinds of entries, and a file of rules. */
const [IGNORED, SYMLINK, RULES] = [
  /^[^ ]+ DEBUG\|[^ ]+ ignoring (.*): Ignore\(IgnoreMatch\(Gitignore\(/,
  /^[^ ]+ DEBUG\|[^ ]+ ignoring (.*): failed to pass haystack filter: .*is_symlink: true/,
  /^[^ ]+ DEBUG\|[^ ]+ opened gitignore file: (.*)\/\.gitignore$/,
];

/** ripgrep applies rules of directories above that do not count. */
class StrayRulesError extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "StrayRulesError";
}

/**
 * Walks the directory of a glob as far as the glob reaches. Rules do not exclude what the glob
 * names. Returns the paths that could not be read.
 */
export async function walkGlob(
  glob: CompiledGlob,
  options: WalkOptions,
): Promise<RipgrepMessage[]> {
  const { ctx, results } = options;
  const rules = rulesOf(glob, ctx);
  const closedPaths = closedBelow(glob.real, ctx);
  const closed = closedPaths.flatMap(({ path }) => {
    const { isLeftOut } = followRules(relativePath(glob, path), rules);
    return isLeftOut ? [] : { path, text: NOT_GRANTED };
  });
  const directories = glob.isPlain ? glob.named.slice(0, -1) : glob.named;
  const start = startOf(glob.real, directories);
  if (start === undefined || !ctx.mayRead(start)) return closed;
  if (glob.isPlain) {
    const path = entryPath(glob.real, glob.glob);
    if (isFileOrLink(path) && ctx.mayRead(path)) results.file(path);
    return closed;
  }
  results.restart();
  const isFree = directories.length > 0 && followRules(directories.join("/"), rules).isFree;
  const usesIgnoreFiles = options.usesIgnoreFiles && !isFree;
  const usual = { ...options, usesIgnoreFiles, closed: closedPaths };
  const messages = await listFiles(glob, { ...usual, start }).catch((error) => {
    if (!(error instanceof StrayRulesError)) throw error;
    results.restart();
    return listFiles(glob, { ...usual, start: glob.real, rulesAbove: rulesAbove(glob.real, ctx) });
  });
  const reached = messages.filter(({ path }) =>
    path === undefined || path === start || glob.matcher.reaches(relativePath(glob, path))
  );
  return [...reached, ...closed];
}

/** The directory that these names lead to without a symlink, or `undefined`. */
function startOf(root: string, names: readonly string[]): string | undefined {
  let path = root;
  for (const name of names) {
    path = entryPath(path, name);
    if (!isRealDirectory(path)) return undefined;
  }
  return path;
}

function isFileOrLink(path: string): boolean {
  const status = lookAt(path);
  return status !== undefined && ["file", "symlink"].includes(modeKind(status.mode));
}

function relativePath({ real }: CompiledGlob, path: string): string {
  return path.slice(entryPath(real, "").length);
}

/** The rules of the walk, which do not exclude what the glob names. */
function rulesOf(
  glob: CompiledGlob,
  { repositories }: Pick<ToolContext, "repositories">,
): WalkRules {
  const named = glob.named.join("/");
  return {
    ...{ root: glob.real, repositories, gitRulesFrom: glob.real },
    versionControl: namedVersionControl(glob.glob),
    isNamed: (relative) => relative === named || named.startsWith(`${relative}/`),
    reaches: (relative) => glob.matcher.reaches(relative),
  };
}

async function listFiles(
  glob: CompiledGlob,
  { ctx, results, usesIgnoreFiles, start, closed, rulesAbove }: WalkOptions & {
    start: string;
    closed: readonly ClosedPath[];
    /** The files of rules above the directory, if ripgrep may not find them itself. */
    rulesAbove?: readonly string[];
  },
): Promise<RipgrepMessage[]> {
  const file = (path: string) => {
    if (closed.length === 0 || ctx.mayRead(path)) results.file(path);
  };
  const decoder = new TextDecoder();
  let rest = "";
  return await runRipgrep([
    ...["--files", "--null"],
    // In a repository the rules of git count anyway, and end where another repository begins.
    ...(isInRepository(glob.real, ctx) ? [] : ["--no-require-git"]),
    ...(rulesAbove === undefined ? [] : ["--no-ignore-parent"]),
    ...(rulesAbove ?? []).map((path) => `--ignore-file=${path}`),
    ...depthLimit(glob, start),
    ...exclusions(ctx, {
      closed: closed.map(({ path }) => path),
      except: namedVersionControl(glob.glob),
    }),
  ], {
    ...{ ctx, root: start, usesIgnoreFiles },
    onOutput(bytes) {
      const text = rest + decoder.decode(bytes, { stream: true });
      rest = text.slice(text.lastIndexOf("\0") + 1);
      for (const path of pathsEnding(text, glob.matcher.suffix)) file(path);
    },
    onLog(line) {
      const ignored = IGNORED.exec(line)?.[1];
      if (ignored !== undefined) return results.ignored(ignored);
      const link = SYMLINK.exec(line)?.[1];
      if (link !== undefined && isFileOrLink(link)) return file(link);
      const above = RULES.exec(line)?.[1];
      if (above === undefined || rulesAbove !== undefined) return;
      const isAbove = glob.real.startsWith(entryPath(above, ""));
      if (isAbove && !isInRepository(glob.real, ctx)) throw new StrayRulesError();
    },
  });
}

/**
 * The paths in a string that end with a suffix. Each path of the string ends with a NUL. Most paths of a
 * tree do not match, and this does not even make a string of them.
 */
function pathsEnding(text: string, suffix: string): string[] {
  const paths: string[] = [];
  const end = `${suffix}\0`;
  for (let at = text.indexOf(end); at >= 0; at = text.indexOf(end, at + end.length)) {
    paths.push(text.slice(text.lastIndexOf("\0", at - 1) + 1, at + suffix.length));
  }
  return paths;
}

/** The depth of a glob of which each component matches one name. */
function depthLimit({ glob, real }: CompiledGlob, start: string): string[] {
  if (glob.includes("**") || /\{[^}]*[/{]/.test(glob) || glob.includes("\\")) return [];
  const above = start === real ? 0 : start.slice(entryPath(real, "").length).split("/").length;
  return [`--max-depth=${glob.split("/").length - above}`];
}

/** The files of rules above a directory that count outside repositories, the weakest first. */
function rulesAbove(directory: string, { mayRead }: Pick<ToolContext, "mayRead">): string[] {
  const above = dirname(directory);
  if (above === directory) return [];
  const own = [".ignore", ".rgignore"].map((name) => entryPath(above, name));
  const readable = own.filter((path) => lookAt(path) !== undefined && mayRead(path));
  return [...rulesAbove(above, { mayRead }), ...readable];
}

/** Whether a directory lies in a repository. */
function isInRepository(
  directory: string,
  { repositories }: Pick<ToolContext, "repositories">,
): boolean {
  if (repositories.includes(directory)) return true;
  if ([".git", ".jj"].some((name) => lookAt(entryPath(directory, name)))) return true;
  return directory !== "/" && isInRepository(dirname(directory), { repositories });
}
