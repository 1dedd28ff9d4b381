import { dirname } from "@std/path/posix/dirname";
import { resolve } from "@std/path/posix/resolve";
import { type Grants, isUnrestricted } from "./grants.ts";
import { isInside, isThere, placesOf } from "./paths.ts";

/**
 * The grants, with what could change this program, and what it keeps in the folder `state`,
 * closed to calls that may write anything but all.
 */
export function withOwn(
  grants: Grants,
  { isBundled, programFolder, state: given }: {
    isBundled: boolean;
    programFolder: string;
    state: string | undefined;
  },
): Grants {
  if (isUnrestricted(grants)) return grants;
  const state = given === undefined ? undefined : resolve(Deno.cwd(), given);
  const own = grants.all || grants.allow.write !== undefined
    ? [
      ...(isBundled ? ownPaths(Deno.realPathSync(programFolder)) : []),
      ...(state === undefined ? [] : placesOf(state)),
    ]
    : [];
  return { ...grants, ...(state !== undefined && { state }), ...(own.length > 0 && { own }) };
}

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

/**
 * The folders that the head of the executable looks into: all up to the one that it
 * `used`, and of the others those that are there, for a call with other variables.
 */
function caches(used: string): string[] {
  const variable = (name: string) => Deno.env.get(name) || undefined;
  const [home, cache] = [variable("HOME"), variable("XDG_CACHE_HOME")];
  const usual = cache?.startsWith("/") ? cache : home?.startsWith("/") ? `${home}/.cache` : "";
  const temporary = variable("TMPDIR");
  const inOrder = [
    variable("TOOLCALL_CACHE_DIR") ?? "",
    usual && `${usual}/toolcall`,
    `${temporary?.startsWith("/") ? temporary : "/tmp"}/toolcall-${Deno.uid()}`,
  ].filter((path) => path !== "");
  const at = inOrder.findIndex((path) => placesOf(path).includes(used));
  return inOrder.filter((path, index) => index <= at || isThere(path));
}
