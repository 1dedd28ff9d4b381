import { dirname } from "@std/path/posix/dirname";
import { resolve } from "@std/path/posix/resolve";
import type { Grants } from "./grants.ts";
import { resolutionSteps } from "./paths.ts";
import { requireProc } from "../linux/kernel.ts";
import { ownVariable } from "../../own_environment.ts";

/**
 * Protects this program and the state directory `state` in grants that restrict something. Only
 * `--allow-all` lets calls write them, so do not call it for unrestricted grants.
 */
export function protectInstallation(
  grants: Grants,
  { isBundled, directory, state: given }: {
    isBundled: boolean;
    directory: string;
    state: string | undefined;
  },
): Grants {
  const state = given === undefined ? undefined : resolve(Deno.cwd(), given);
  const own = grants.all || grants.allow.write !== undefined
    ? [
      ...(isBundled ? ownPaths(Deno.realPathSync(directory)) : []),
      ...(state === undefined ? [] : resolutionSteps(state)),
    ]
    : [];
  return { ...grants, ...(state !== undefined && { state }), ...(own.length > 0 && { own }) };
}

/**
 * The files that make up this program, and the links that lead to them. A call that could change
 * one of them would run unconfined code at the next call. `programDirectory` is a real path. Throws
 * `unavailable` without /proc.
 */
export function ownPaths(programDirectory: string): string[] {
  requireProc();
  const executable = ownVariable("executable");
  if (executable === undefined) return [Deno.realPathSync(Deno.execPath())];
  // The head of the executable starts this program from the directory of all versions, and names
  // the current one.
  const own = dirname(programDirectory);
  const named = [resolve(Deno.cwd(), executable), ...caches()];
  return [...new Set([own, ...named.flatMap((path) => resolutionSteps(path))])];
}

/**
 * The parent of the directory that the program is unpacked into if HOME or its disk is unusable. It
 * is not a directory that flags often open, such as `/tmp`: see {@link caches}.
 */
export const FALLBACK_PARENT = "/var/tmp";

/**
 * The directories that the head of the executable looks into, at this start and at one with fewer
 * variables. Missing directories count too: a call that could make one would decide what the next
 * start runs. So programs may use only existing entries of a directory above one, and make no new
 * entries in it.
 */
function caches(): string[] {
  const rests = { TOOLCALL_CACHE_DIR: "", XDG_CACHE_HOME: "/toolcall", HOME: "/.cache/toolcall" };
  const named = Object.entries(rests).flatMap(([name, rest]) => {
    const directory = Deno.env.get(name);
    return directory?.startsWith("/") ? [`${directory}${rest}`] : [];
  });
  return [...named, `${FALLBACK_PARENT}/toolcall-${Deno.uid()}`];
}
