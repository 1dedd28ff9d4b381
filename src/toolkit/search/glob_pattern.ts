import { pathRules } from "../../base/fs/path_rules.ts";
import { otherFormHint } from "../../base/fs/other_form.ts";
import { isRealDirectory, lookAt } from "../../base/fs/path_status.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { GlobMatcher } from "./glob_matcher.ts";
import { entryPath } from "./paths.ts";

/** The arguments of a Glob call. */
export interface GlobRequest {
  /** The glob. */
  pattern: string;
  /** The directory; default: the working directory. */
  path: string | undefined;
}

/** The glob of a call, relative to the directory that is searched. */
export interface CompiledGlob {
  /** The glob as it was given. */
  pattern: string;
  /** The real path of the directory. */
  real: string;
  /** The absolute path of the directory as it was given, which results begin with. */
  shown: string;
  /** The glob, relative to the directory. */
  glob: string;
  /** The compiled glob. */
  matcher: GlobMatcher;
  /** The components before the first wildcard. */
  named: readonly string[];
  /** True if it has no wildcard, so that it is a plain path. */
  isPlain: boolean;
}

/**
 * Compiles the glob of a call. An absolute glob must lie below the directory, by the directory's
 * shown or its real path. Throws an Error for a missing directory, an invalid glob, and one that
 * leaves the directory.
 */
export function compileGlob({ pattern, path = "." }: GlobRequest, ctx: ToolContext): CompiledGlob {
  const directory = { real: ctx.path(path), shown: pathRules.resolve(ctx.cwd, path) };
  checkDirectory(directory, { given: path, ctx });
  const glob = relativeGlob(pattern, directory);
  // Braces and classes can become a component `..` too.
  if (glob === undefined || /(^|[/{,])\.\.($|[/},])/.test(glob.replaceAll("\\", ""))) {
    throw new Error(
      `Cannot look for "${pattern}": it leaves the directory "${directory.shown}"; give the directory as path and a pattern below it`,
      { cause: { pattern } },
    );
  }
  const components = glob.split("/");
  const wild = components.findIndex((component) => /[?*[\]{}\\]/.test(component));
  const isPlain = wild === -1;
  const named = isPlain ? components : components.slice(0, wild);
  try {
    const matcher = new GlobMatcher(glob, { flavour: "path" });
    return { pattern, ...directory, glob, matcher, named, isPlain };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Error(`Invalid glob "${pattern}": ${error.message}`, { cause: { pattern } });
  }
}

function checkDirectory(
  { real, shown }: { real: string; shown: string },
  { given, ctx }: { given: string; ctx: ToolContext },
): void {
  if (isRealDirectory(real)) return;
  const other = otherFormHint({ path: real, given }, (path) => ctx.mayRead(path));
  const why = lookAt(real) === undefined
    ? `no such directory${other?.hint ?? ""}`
    : "it is not a directory";
  throw new Error(`Cannot look in "${shown}": ${why}`, { cause: { path: shown } });
}

/** The glob without `.` and empty components; undefined if it lies outside the directory. */
function relativeGlob(
  pattern: string,
  directory: { shown: string; real: string },
): string | undefined {
  let glob = pattern;
  if (glob.startsWith("/")) {
    const base = [directory.shown, directory.real].map((path) =>
      pathRules.resolve(path).replace(/\/?$/, "/")
    )
      .find((path) => glob.startsWith(path));
    if (base === undefined) return undefined;
    glob = glob.slice(base.length);
  }
  return glob.split("/").filter((part) => part !== "." && part !== "").join("/");
}

/**
 * Hints for a pattern with syntax that globs do not have, and for one that names a directory or
 * matches only one level.
 */
export function syntaxHints({ pattern, glob, isPlain, real }: CompiledGlob): string[] {
  const plain = glob.replace(/\\.|\[[!^]?\]?[^\]]*\]/g, "");
  const extended = /[@+!?*]\(/.exec(plain)?.[0];
  if (extended !== undefined) {
    return [`"${extended}…)" is not supported and matches literally; for alternatives use {a,b}`];
  }
  const range = /\{[^{},]*\.\.[^{},]*\}/.exec(plain)?.[0];
  if (range !== undefined) {
    return [`"${range}" is not supported and matches literally; use {1,2,3} or [1-3]`];
  }
  if (isPlain && isRealDirectory(entryPath(real, glob))) {
    return [`"${pattern}" is a directory; for the files in it use "${glob}/**"`];
  }
  return glob.includes("/") ? [] : [`For every depth use "**/${glob}"`];
}
