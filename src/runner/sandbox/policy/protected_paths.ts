/** Which paths are protected because other programs run or obey what is there. */

import { dirname } from "@std/path/posix/dirname";
import { join } from "@std/path/posix/join";
import { pathRules } from "../../../base/fs/path_rules.ts";
import { readRegularText } from "../../../base/fs/system_file.ts";
import { entriesOf } from "./openings.ts";
import { isDirectory, isInside, isThere, realPathIfAny } from "./paths.ts";
import {
  GIT_NAMES,
  PROTECTED_ENDS,
  protectedNames,
  REPOSITORY_NAMES,
  WRITTEN_BY_PROGRAMS,
} from "./protected_names.ts";

let byFirstPart: ReadonlyMap<string, readonly string[]> | undefined;

/** The names of the list whose first part, in lower case, is `part`. */
function protectedByFirstPart(part: string) {
  // Made when it is asked for first: a call that only reads asks for none.
  byFirstPart ??= Map.groupBy(protectedNames(), (name) => /^\/?([^/]*)/.exec(name)![1]!);
  return (byFirstPart.get(part) ?? []).map(parsed);
}

/** A name of the list, by the parts of its path, in lower case. */
function parsed(name: string) {
  const parts = name.split("/").filter((part) => part !== "");
  return { parts, isDirectory: name.endsWith("/"), isAbsolute: name.startsWith("/") };
}

/**
 * The innermost protected file or directory that `path`, which is real, is or lies in. A write
 * grant of a directory above it does not cover it; only a grant that names it does.
 */
export function protectedPath(path: string): string | undefined {
  const root = pathRules.rootOf(path);
  const parts = path.slice(root.length).split("/");
  const folded = parts.map(foldedName);
  const upTo = (end: number) => root + parts.slice(0, end).join("/");
  let innermost = 0;
  for (const [at, part] of folded.entries()) {
    for (const name of protectedByFirstPart(part)) {
      const end = at + name.parts.length;
      // A file name of the list in the middle of a path is the name of some directory.
      const isMeant = (name.isDirectory || end === parts.length) && (!name.isAbsolute || at === 0);
      if (isMeant && name.parts.every((each, index) => each === folded[at + index])) {
        innermost = Math.max(innermost, end);
      }
    }
    if (REPOSITORY_NAMES.includes(part) && isRepositoryWith(upTo(at), part)) {
      innermost = Math.max(innermost, at + 1);
    }
  }
  const last = folded.at(-1)!;
  if (PROTECTED_ENDS.some((end) => last.endsWith(end))) return path;
  return innermost === 0 ? undefined : upTo(innermost);
}

/**
 * A name as it is compared by file systems that ignore case, and on macOS also invisible
 * characters. There `.Git` is another spelling of `.git`.
 */
function foldedName(name: string): string {
  // Nearly every name ends here; the expression for all of Unicode costs a call 0.5 ms the first
  // time.
  if (!/[^ -~]/.test(name)) return name.toLowerCase();
  return name.replaceAll(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, "").normalize("NFKC")
    .toUpperCase().toLowerCase();
}

/**
 * Whether git would take `directory` for a repository once `added` is in it. A repository needs no
 * special name, and can also be made in steps.
 */
function isRepositoryWith(directory: string, added: string): boolean {
  const has = (name: string) => name.toLowerCase() === added || isThere(`${directory}/${name}`);
  return has("HEAD") && (has("commondir") || (has("objects") && has("refs")));
}

/** The names that show that a directory is a Git repository by itself. */
const GIT_MARKS = new Set(["HEAD", "objects", "refs"]);

/** The protected paths found so far, and a test for existence. */
interface Found {
  paths: Set<string>;
  exists: (path: string) => boolean;
}

/** The most directories that are searched for a repository, in each directory of the search. */
const MAX_DIRECTORIES = 200;
/** The most bytes of a file that names a Git directory. */
const MAX_POINTER_BYTES = 8_192;
/** The most slashes in the name of a submodule. */
const MAX_DEPTH = 4;

/**
 * The existing protected files and directories that programs are kept from. The search covers the
 * top of `directories`, the working directory, the directories on the way to it, and the Git
 * repositories directly below these. A search of whole trees would take too long for a call.
 */
export function existingProtected(
  directories: readonly string[],
  { cwd, exists }: { cwd: string; exists: (path: string) => boolean },
): string[] {
  const found: Found = { paths: new Set(), exists };
  const searched = new Set(directories.flatMap((directory) => wayTo(cwd, directory)));
  for (const directory of searched) {
    const inner = addProtected(directory, found);
    for (const name of inner.slice(0, MAX_DIRECTORIES)) {
      const path = join(directory, name);
      if (!searched.has(path) && exists(`${path}/.git`)) addProtected(path, found);
    }
  }
  return [...found.paths];
}

/** `directory`, and the directories from there to `cwd` where that lies in it. */
function wayTo(cwd: string, directory: string): string[] {
  if (!isInside(cwd, directory)) return [directory];
  const names = cwd.slice(directory.length).split("/").filter((name) => name !== "");
  return [directory, ...names.map((_, at) => join(directory, ...names.slice(0, at + 1)))];
}

/**
 * Adds what is protected at the top of a directory, and returns the names of its other directories.
 */
function addProtected(directory: string, found: Found): string[] {
  const others: string[] = [];
  const entries = entriesOf(directory);
  for (const { name, isDirectory, isSymlink } of entries) {
    const folded = foldedName(name);
    const path = join(directory, name);
    const names = protectedByFirstPart(folded);
    if (isDirectory && names.length === 0 && !name.startsWith(".")) others.push(name);
    for (const { parts, isDirectory: isWhole, isAbsolute } of names) {
      const rest = parts.slice(1);
      const isKind = rest.length > 0 || isSymlink || isDirectory === isWhole;
      if (isAbsolute || !isKind || WRITTEN_BY_PROGRAMS.includes(`${parts.join("/")}/`)) continue;
      add(join(path, ...rest), found);
    }
    if (folded === ".git") addGit(path, { isReal: isDirectory, found });
    if (PROTECTED_ENDS.some((end) => folded.endsWith(end))) add(path, found);
  }
  const names = new Set(entries.map(({ name }) => name));
  if (names.isSupersetOf(GIT_MARKS)) addGitDirectory(directory, found);
  return others;
}

/** A symlink cannot be mounted on, so its target counts. */
function add(path: string, found: Found): void {
  const real = found.exists(path) ? realPathIfAny(path) : undefined;
  if (real !== undefined) found.paths.add(real);
}

/** Adds what is protected of `.git`: a directory, a symlink to one, or a file that names one. */
function addGit(path: string, { isReal, found }: { isReal: boolean; found: Found }): void {
  const real = isReal ? path : realPathIfAny(path) ?? path;
  if (isReal || isDirectory(real)) return addGitDirectory(real, found);
  add(path, found);
  const target = pointer(real)?.replace(/^gitdir:\s*/, "");
  if (target !== undefined) addGitDirectory(pathRules.resolve(dirname(real), target), found);
}

/** Adds what is protected of a Git directory, and of those of its submodules and worktrees. */
function addGitDirectory(given: string, found: Found): void {
  const path = realPathIfAny(given) ?? given;
  if (found.paths.has(`${path}/config`)) return;
  const names = new Set(entriesOf(path).map(({ name }) => name));
  for (const name of GIT_NAMES) {
    const [first] = name.split("/");
    if (names.has(first!)) add(join(path, name), found);
  }
  const common = names.has("commondir") ? pointer(`${path}/commondir`) : undefined;
  if (common !== undefined) addGitDirectory(pathRules.resolve(path, common), found);
  for (const inner of ["modules", "worktrees"]) {
    if (names.has(inner)) addInnerGitDirectories(`${path}/${inner}`, found);
  }
}

/**
 * Names of submodules may have slashes, so a directory that is no Git directory may contain some.
 */
function addInnerGitDirectories(path: string, found: Found, depth = 0): void {
  for (const { name, isDirectory } of entriesOf(path).slice(0, MAX_DIRECTORIES)) {
    if (!isDirectory) continue;
    const inner = `${path}/${name}`;
    if (found.exists(`${inner}/HEAD`)) addGitDirectory(inner, found);
    else if (depth < MAX_DEPTH) addInnerGitDirectories(inner, found, depth + 1);
  }
}

/** The one line of a file that names a directory. */
function pointer(path: string): string | undefined {
  try {
    return readRegularText(path, MAX_POINTER_BYTES).trim();
  } catch {
    return undefined;
  }
}
