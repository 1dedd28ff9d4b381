import { dirname } from "@std/path/posix/dirname";
import { join } from "@std/path/posix/join";
import { resolve } from "@std/path/posix/resolve";
import { isInside, linkTarget, MAX_LINKS } from "./paths.ts";

/**
 * The files that make up this program, and the links that lead to them: who could
 * change one of them would run unconfined at the next call. `programFolder` is a
 * real path. Places that are looked into first count too, when they are not there.
 */
export function ownPaths(programFolder: string): string[] {
  const runtime = Deno.realPathSync(Deno.execPath());
  const executable = Deno.env.get("TOOLCALL_EXECUTABLE");
  const isUnpacked = isInside(runtime, programFolder);
  const named = [
    ...(executable === undefined ? [] : [resolve(Deno.cwd(), executable)]),
    ...(isUnpacked ? caches(dirname(programFolder)) : []),
  ];
  // The folder above the unpacked program holds every version, and says which one is current.
  const own = isUnpacked ? dirname(programFolder) : runtime;
  return [...new Set([own, ...named.flatMap((path) => placesOf(path))])];
}

/** The folders that the head of the executable looks into, up to the one that it `used`. */
function caches(used: string): string[] {
  const variable = (name: string) => Deno.env.get(name) || undefined;
  const given = variable("TOOLCALL_CACHE_DIR");
  if (given !== undefined) return [given];
  const [home, cache] = [variable("HOME"), variable("XDG_CACHE_HOME")];
  const usual = cache?.startsWith("/")
    ? cache
    : home?.startsWith("/")
    ? `${home}/.cache`
    : undefined;
  const first = usual === undefined ? [] : [`${usual}/toolcall`];
  if (first.some((path) => placesOf(path).includes(used))) return first;
  const temporary = variable("TMPDIR");
  const folder = temporary?.startsWith("/") ? temporary : "/tmp";
  return [...first, `${folder}/toolcall-${Deno.uid()}`];
}

/** Where each link lies that `path` goes through, and where it leads to; what is not there counts as it is. */
function placesOf(path: string, links = 0): string[] {
  const names = resolve(path).split("/").slice(1);
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
