/**
 * Paths, and the rule of every look-up: a file that a call could have written never decides what a
 * later call starts, reads or executes. A path is trusted when no named write grant covers a step
 * on the way to its file. Such a step is a symlink, a directory that the way leaves by "..", or the
 * file.
 */

import { join } from "@std/path/posix/join";
import { lookAt, modeKind } from "../../../base/fs/path_status.ts";
import { type PathRules, pathRules } from "../../../base/fs/path_rules.ts";
import type { Scope } from "./scope.ts";

/** The most symlinks that one path may lead through, as in the kernel. */
const MAX_LINKS = 40;

/**
 * The real path of `path`, which must be absolute. Every symlink is resolved, also one whose target
 * does not exist yet. For a missing file it is the real path of the nearest existing parent with
 * the rest appended. So the result names what a program would open or create. Throws the system's
 * error for a path that cannot be looked up.
 */
export function realPath(path: string): string {
  try {
    return pathRules.fromSystem(Deno.realPathSync(path));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  const { steps, isLoop } = walk(path);
  if (isLoop) throw new Deno.errors.FilesystemLoop("Too many levels of symbolic links");
  return steps.at(-1)!;
}

/** The real path of {@link realPath}, or `undefined` if it cannot be looked up. */
export function realPathIfAny(path: string): string | undefined {
  try {
    return realPath(path);
  } catch {
    return undefined;
  }
}

/** Whether `path` is `directory` or lies in it; both absolute and normalized. */
export const isInside: PathRules["isInside"] = pathRules.isInside;

/** The kernel's own file systems. Reading there is no ordinary file access. */
export const kernelDirectories: readonly string[] = ["/proc", "/sys", "/dev"];

/** Whether `path` lies in one of them. */
export function isKernelPath(path: string): boolean {
  return kernelDirectories.some((directory) => isInside(path, directory));
}

/** The real paths of the existing ones. */
export function realPaths(paths: readonly string[]): string[] {
  return paths.flatMap((path) => existing(path) ?? []);
}

function existing(path: string): string | undefined {
  // An error of the runtime takes 0.1 milliseconds, and many of these paths are missing.
  if (!isThere(path)) return undefined;
  try {
    return pathRules.fromSystem(Deno.realPathSync(path));
  } catch {
    return undefined;
  }
}

/** Whether `path` is or leads to a directory, as far as this can be found out. */
export function isDirectory(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

/** Whether anything exists at `path`, a symlink included, as far as this can be found out. */
export function isThere(path: string): boolean {
  return lookAt(path) !== undefined;
}

/**
 * Returns whether a file may exist at a path that could not be read because of `error`. A program
 * of this user can make its own directory unreadable, and that must not disable the settings in it.
 * A directory of another user has no files of this user.
 */
export function mayExist(path: string, error: unknown): boolean {
  const isMissing = error instanceof Deno.errors.NotFound ||
    error instanceof Deno.errors.NotADirectory;
  return !isMissing && isOwnDirectory(pathRules.parentOf(path));
}

/** Returns whether the user owns the nearest readable directory, from this one upwards. */
function isOwnDirectory(directory: string): boolean {
  try {
    return Deno.lstatSync(directory).uid === Deno.uid();
  } catch {
    const above = pathRules.parentOf(directory);
    return directory !== above && isOwnDirectory(above);
  }
}

/**
 * The steps that decide which file the absolute `path` leads to. They are each symlink on the way,
 * each directory that the way leaves by "..", and last the real path. A missing name counts as it
 * is written.
 */
export function resolutionSteps(path: string): string[] {
  // Most paths have no symlink, and one system call shows that.
  if (existing(path) === path) return [path];
  const whole = pathRules.resolve(path);
  // Most other paths lie in a directory without a symlink, and are a symlink or missing themselves.
  const above = pathRules.parentOf(whole);
  if (existing(above) === above && !linkTarget(whole)) return [whole];
  return walk(whole).steps;
}

/**
 * Follows a path as the kernel does, one name at a time: ".." of a target leaves the real
 * directory.
 */
function walk(path: string): { steps: string[]; isLoop: boolean } {
  const steps: string[] = [];
  const root = pathRules.rootOf(path);
  const names = namesOf(path.slice(root.length));
  let [at, links, isThere] = [root, 0, true];
  for (let name; (name = names.pop()) !== undefined;) {
    if (name === "..") {
      steps.push(at);
      at = pathRules.parentOf(at);
      isThere = true;
      continue;
    }
    const here = at.endsWith("/") ? `${at}${name}` : `${at}/${name}`;
    const target: string | undefined = isThere ? linkTarget(here) : undefined;
    isThere &&= target !== "";
    if (!target) {
      at = here;
      continue;
    }
    steps.push(here);
    if (++links > MAX_LINKS) return { steps, isLoop: true };
    const from = pathRules.isAbsolute(target) ? pathRules.rootOf(target) : "";
    if (from !== "") at = from;
    names.push(...namesOf(target.slice(from.length)));
  }
  return { steps: [...steps, at], isLoop: false };
}

/** The names of a path, the last one first. */
function namesOf(path: string): string[] {
  return path.split("/").filter((name) => name !== "" && name !== ".").reverse();
}

/** The target of `path` when it is a symlink; an empty string when nothing is there. */
function linkTarget(path: string): string | undefined {
  const status = lookAt(path);
  if (status === undefined) return "";
  if (modeKind(status.mode) !== "symlink") return undefined;
  try {
    return pathRules.fromSystem(Deno.readLinkSync(path));
  } catch {
    return "";
  }
}

/**
 * Whether a named write grant covers `path`, which is real. A bare `--allow-write` counts as none.
 */
export function isWritable(path: string, writable: Scope | undefined): boolean {
  return Array.isArray(writable) && writable.some((directory) => isInside(path, directory));
}

/**
 * The first step on the way to the absolute `path` that a call with this write grant could have
 * made or replaced, the file itself included. `undefined` means that the path is trusted.
 */
export function untrustedStep(path: string, writable: Scope | undefined): string | undefined {
  if (!Array.isArray(writable) || writable.length === 0) return undefined;
  return resolutionSteps(path).find((step) => isWritable(step, writable));
}

/** The same without the file itself: the first step that could lead the path to another file. */
export function untrustedLink(path: string, writable: Scope | undefined): string | undefined {
  if (!Array.isArray(writable) || writable.length === 0) return undefined;
  return resolutionSteps(path).slice(0, -1).find((step) => isWritable(step, writable));
}

/** The trusted ones of the absolute `paths`. */
export function trustedPaths(paths: readonly string[], writable: Scope | undefined): string[] {
  return paths.filter((path) => untrustedStep(path, writable) === undefined);
}

/**
 * The value of PATH for a program that runs outside the sandbox: the absolute, trusted
 * directories of `value`. It is never empty, because an empty PATH means the working directory.
 */
export function trustedPath(value: string, writable: Scope | undefined): string {
  const { listSeparator, isAbsolute } = pathRules;
  const absolute = value.split(listSeparator).filter(isAbsolute);
  return trustedPaths(absolute, writable).join(listSeparator) || "/nonexistent";
}

/**
 * The directories above the paths, which must be real, that contain a repository of git or jj.
 * Ignore rules of git count only inside one, and a Worker may not look above its grants.
 */
export function repositoriesAbove(paths: readonly string[]): string[] {
  const found = new Set<string>();
  const seen = new Set<string>();
  for (const path of paths) {
    for (let at = path; at !== pathRules.parentOf(at);) {
      at = pathRules.parentOf(at);
      if (seen.has(at)) break;
      seen.add(at);
      if ([".git", ".jj"].some((name) => isThere(join(at, name)))) found.add(at);
    }
  }
  return [...found];
}
