import { resolve } from "@std/path/posix/resolve";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import {
  emptyResult,
  type GlobFindings,
  type GlobRequest,
  type GlobResult,
  interrupted,
  listResult,
  type RelativeGlob,
  type SearchedFolder,
} from "./glob_messages.ts";
import { Newest } from "./newest.ts";
import { isNotUtf8, Skipped } from "./skipped.ts";
import { namedVersionControl, VERSION_CONTROL } from "./paths.ts";
import { entryPath, walk, type WalkEntry } from "./walk.ts";
import { GlobMatcher } from "./glob_matcher.ts";

/** The most names that are listed. */
const MAX_NAMES = 100;

/**
 * Answers one Glob call: the absolute paths of the matching files, the newest
 * first. Throws for an invalid glob, one that leaves the folder, a missing
 * folder, and when the call is aborted.
 */
export async function listGlob(request: GlobRequest, ctx: ToolContext): Promise<GlobResult> {
  const folder = {
    real: ctx.path(request.path ?? "."),
    shown: resolve(ctx.cwd, request.path ?? "."),
  };
  checkFolder(folder);
  const glob = compileGlob(request.pattern, folder);
  const listed: GlobFindings = {
    ...{ newest: new Newest(MAX_NAMES), skipped: new Skipped() },
    ...{ ignored: 0, passed: [], notUtf8: 0 },
  };
  try {
    await collect(glob, folder, { ctx, listed });
  } catch (error) {
    if (ctx.signal.aborted) throw interrupted(request, folder, { ctx, listed });
    throw error;
  }
  return listed.newest.total === 0
    ? emptyResult(request, { glob, folder, listed })
    : listResult(listed);
}

async function collect(
  glob: CompiledGlob,
  folder: SearchedFolder,
  call: { ctx: ToolContext; listed: GlobFindings },
): Promise<void> {
  const { ctx, listed } = call;
  const named = glob.named.join("/");
  const skipped = {
    add: (path: string, reason: string) =>
      listed.skipped.add(
        path.startsWith("/") ? folder.shown : entryPath(folder.shown, path),
        reason,
      ),
  };
  const files = walk({
    root: folder.real,
    signal: ctx.signal,
    mayRead: (path) => ctx.mayRead(path),
    repositories: ctx.repositories,
    skipped,
    hidden: true,
    gitRulesAnywhere: true,
    tellIgnored: true,
    leaveOut: VERSION_CONTROL.difference(namedVersionControl(glob.glob)),
    passBy: (relative) => {
      if (glob.matcher.reaches(relative)) listed.passed.push(relative);
    },
    enter: (relative) => glob.matcher.reaches(relative),
    exempt: (relative) => relative === named || named.startsWith(relative + "/"),
  });
  for await (const found of files) {
    if (!glob.matcher.matches(found.relative) || isFolderLink(found)) continue;
    if (found.isIgnored) listed.ignored++;
    else add(found, folder, listed);
  }
}

function add(found: WalkEntry, folder: SearchedFolder, listed: GlobFindings): void {
  const path = entryPath(folder.shown, found.relative);
  try {
    const modified = Deno.lstatSync(found.path).mtime?.getTime() ?? 0;
    listed.newest.add({ path, modified });
  } catch (error) {
    const notUtf8 = isNotUtf8(found.relative, error);
    if (notUtf8) listed.notUtf8++;
    // Skip a file that was removed after its folder was read.
    if (notUtf8 || !(error instanceof Deno.errors.NotFound)) {
      listed.newest.add({ path, modified: 0 });
    }
  }
}

function isFolderLink(found: WalkEntry): boolean {
  if (!found.isSymlink) return false;
  try {
    return Deno.statSync(found.path).isDirectory;
  } catch {
    // A broken link, or one to a path that the flags do not allow, is listed like a file.
    return false;
  }
}

function checkFolder(folder: SearchedFolder): void {
  try {
    if (Deno.statSync(folder.real).isDirectory) return;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new Error(`Cannot look in "${folder.shown}": no such folder`, {
      cause: { path: folder.shown },
    });
  }
  throw new Error(`Cannot look in "${folder.shown}": it is not a folder`, {
    cause: { path: folder.shown },
  });
}

/** A glob that has been compiled. */
interface CompiledGlob extends RelativeGlob {
  matcher: GlobMatcher;
  /** The components before the first wildcard. */
  named: readonly string[];
}

/**
 * Compiles the glob of a call. An absolute glob must lie below the folder, by the folder's shown or
 * its real path. Throws an Error for an invalid glob and for one that leaves the folder.
 */
function compileGlob(pattern: string, folder: { shown: string; real: string }): CompiledGlob {
  const glob = relativeGlob(pattern, folder);
  if (hasParentComponent(glob)) throw leaves(pattern, folder.shown);
  const components = glob.split("/");
  const wild = components.findIndex((component) => /[?*[\]{}\\]/.test(component));
  try {
    return {
      matcher: new GlobMatcher(glob, { flavour: "path" }),
      glob,
      named: wild === -1 ? components : components.slice(0, wild),
      isPlain: wild === -1,
    };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Error(`Invalid glob "${pattern}": ${error.message}`, { cause: { pattern } });
  }
}

function relativeGlob(pattern: string, folder: { shown: string; real: string }): string {
  let glob = pattern;
  if (glob.startsWith("/")) {
    const base = [folder.shown, folder.real].map((path) => resolve(path).replace(/\/?$/, "/"))
      .find((path) => glob.startsWith(path));
    if (base === undefined) throw leaves(pattern, folder.shown);
    glob = glob.slice(base.length);
  }
  return glob.split("/").filter((part) => part !== "." && part !== "").join("/");
}

/** Returns whether `..` is a component, or could become one from braces and classes. */
function hasParentComponent(glob: string): boolean {
  return /(^|[/{,])\.\.($|[/},])/.test(glob.replaceAll("\\", ""));
}

function leaves(pattern: string, folder: string): Error {
  return new Error(
    `Cannot look for "${pattern}": it leaves the folder "${folder}"; give the folder as path and a pattern below it`,
    { cause: { pattern } },
  );
}
