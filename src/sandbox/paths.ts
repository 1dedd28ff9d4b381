import { basename } from "@std/path/posix/basename";
import { dirname } from "@std/path/posix/dirname";
import { join } from "@std/path/posix/join";
import { resolve } from "@std/path/posix/resolve";

/** How many links one path may lead through, as in the kernel. */
const MAX_LINKS = 40;

/**
 * The real path of `path`, which must be absolute: every symlink resolved, also
 * one that leads to nothing yet, and for what does not exist the real path of
 * its nearest existing parent with the rest appended. So the result names what
 * a program would open or create. Throws what the system says for a path that
 * cannot be looked up.
 */
export function realPath(path: string, links = 0): string {
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound) || path === "/") throw error;
  }
  const target = linkTarget(path);
  if (target === undefined) {
    return join(realPath(dirname(path), links), basename(path));
  }
  if (links >= MAX_LINKS) {
    throw new Deno.errors.FilesystemLoop("Too many levels of symbolic links");
  }
  return realPath(resolve(realPath(dirname(path), links), target), links + 1);
}

/** The real path as {@link realPath} has it, or nothing where that cannot be looked up. */
export function realPathIfAny(path: string): string | undefined {
  try {
    return realPath(path);
  } catch {
    return undefined;
  }
}

/** Where `path` points to when it is a symlink. */
function linkTarget(path: string): string | undefined {
  try {
    return Deno.readLinkSync(path);
  } catch {
    return undefined;
  }
}

/** Whether `path` is `folder` or lies in it; both absolute and normalized. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || folder === "/" || path.startsWith(`${folder}/`);
}

/** The kernel's own file systems, where reading is not what it seems. */
export const kernelFolders: readonly string[] = ["/proc", "/sys", "/dev"];

/** Whether `path` lies in one of them. */
export function isKernelPath(path: string): boolean {
  return kernelFolders.some((folder) => isInside(path, folder));
}

/** The real paths of those that are there. */
export function realPaths(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    try {
      return [Deno.realPathSync(path)];
    } catch {
      return [];
    }
  });
}

/** Whether `path` is or leads to a folder, as far as can be told. */
export function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

/** Whether there is anything at `path`, a symlink included, as far as can be told. */
export function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/**
 * Where each link lies that `path` goes through, and last where it leads to; what is
 * not there counts as it is.
 */
export function placesOf(path: string, links = 0): string[] {
  const whole = resolve(path);
  // Most have none, which one question tells.
  if (realPathIfAny(whole) === whole) return [whole];
  const names = whole.split("/").slice(1);
  let at = "/";
  for (const [index, name] of names.entries()) {
    at = join(at, name);
    const target = linkTarget(at);
    if (target === undefined || links > MAX_LINKS) continue;
    const rest = resolve(dirname(at), target, ...names.slice(index + 1));
    return [at, ...placesOf(rest, links + 1)];
  }
  return [at];
}
