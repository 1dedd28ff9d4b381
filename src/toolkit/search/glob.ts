import { resolve } from "@std/path/posix/resolve";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import {
  type Folder,
  type GlobRequest,
  type GlobResult,
  interrupted,
  type Listed,
  listing,
  nothing,
} from "./glob_messages.ts";
import { type ReadGlob, readGlob } from "./glob_request.ts";
import { Newest } from "./newest.ts";
import { isNotUtf8, Skipped } from "./skipped.ts";
import { namedVersionControl, VERSION_CONTROL } from "./version_control.ts";
import { below, type Found, walk } from "./walk.ts";

/** How many names are listed. */
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
  const glob = readGlob(request.pattern, folder);
  const listed: Listed = {
    ...{ newest: new Newest(MAX_NAMES), skipped: new Skipped() },
    ...{ ignored: 0, passed: [], notUtf8: 0 },
  };
  try {
    await collect(glob, folder, { ctx, listed });
  } catch (error) {
    if (ctx.signal.aborted) throw interrupted(request, folder, { ctx, listed });
    throw error;
  }
  return listed.newest.total === 0 ? nothing(request, { glob, folder, listed }) : listing(listed);
}

async function collect(
  glob: ReadGlob,
  folder: Folder,
  call: { ctx: ToolContext; listed: Listed },
): Promise<void> {
  const { ctx, listed } = call;
  const named = glob.named.join("/");
  const skipped = {
    add: (path: string, reason: string) =>
      listed.skipped.add(path.startsWith("/") ? folder.shown : below(folder.shown, path), reason),
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

function add(found: Found, folder: Folder, listed: Listed): void {
  const path = below(folder.shown, found.relative);
  try {
    const modified = Deno.lstatSync(found.path).mtime?.getTime() ?? 0;
    listed.newest.add({ path, modified });
  } catch (error) {
    const notUtf8 = isNotUtf8(found.relative, error);
    if (notUtf8) listed.notUtf8++;
    // A file that went away since its folder was read is not there.
    if (notUtf8 || !(error instanceof Deno.errors.NotFound)) {
      listed.newest.add({ path, modified: 0 });
    }
  }
}

function isFolderLink(found: Found): boolean {
  if (!found.isSymlink) return false;
  try {
    return Deno.statSync(found.path).isDirectory;
  } catch {
    // What a link outside the grants or to nowhere points to cannot be seen: it is listed as itself.
    return false;
  }
}

function checkFolder(folder: Folder): void {
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
