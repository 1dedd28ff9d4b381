import { readVariable } from "../../../base/environment.ts";
import { lookupTable } from "../../../base/lookup_table.ts";
import { dirname } from "@std/path/posix/dirname";
import { pathRules } from "../../../base/fs/path_rules.ts";
import type { Grants } from "./grants.ts";
import { resolutionSteps } from "./paths.ts";
import { requireProc } from "../linux/proc.ts";
import { ownVariable } from "../../own_environment.ts";

/**
 * Protects this program, the state directory `state` and the tools directory `tools` in grants that
 * restrict something. Only
 * `--allow-all` lets calls write them, so do not call it for unrestricted grants.
 */
export function protectInstallation(
  grants: Grants,
  { isBundled, directory, state: given, tools }: {
    isBundled: boolean;
    directory: string;
    state: string | undefined;
    tools?: string | undefined;
  },
): Grants {
  const state = given === undefined ? undefined : pathRules.resolve(Deno.cwd(), given);
  const own = grants.all || grants.allow.write !== undefined
    ? [
      ...(isBundled ? ownPaths(Deno.realPathSync(directory)) : []),
      ...(state === undefined ? [] : resolutionSteps(state)),
      ...(tools === undefined ? [] : resolutionSteps(tools)),
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
  // The head of the executable starts this program from the directory of all versions, and names
  // the current one. An executable of `deno compile` has no head, and is the runtime itself.
  const own = executable === undefined
    ? Deno.realPathSync(Deno.execPath())
    : dirname(programDirectory);
  const named = [
    ...(executable === undefined ? [] : [pathRules.resolve(Deno.cwd(), executable)]),
    ...Object.keys(CACHES).flatMap(cacheBy),
    fallback(),
    ...accountCache(),
  ];
  return [...new Set([own, ...[...new Set(named)].flatMap((path) => resolutionSteps(path))])];
}

/**
 * The parent of the directory that the program is unpacked into if HOME or its disk is unusable. It
 * is not a directory that flags often open, such as `/tmp`: see {@link CACHES}.
 */
export const FALLBACK_PARENT = "/var/tmp";

/**
 * The directories that a start looks into, by the variables that name their parents: this start,
 * and one with fewer variables. Missing directories are the program's own too: a call that could
 * make one would decide what the next start runs. So programs may use only existing entries of a
 * directory above one, and make no new entries in it.
 */
const CACHES = lookupTable<string>({
  ...{ TOOLCALL_CACHE_DIR: "", XDG_CACHE_HOME: "/toolcall", HOME: "/.cache/toolcall" },
});

/** The cache of a variable, if it has the absolute path of a directory. */
function cacheBy(name: string): string[] {
  const directory = readVariable(name);
  return pathRules.isAbsolute(directory ?? "") ? [`${directory}${CACHES[name]}`] : [];
}

function fallback(): string {
  return `${FALLBACK_PARENT}/toolcall-${Deno.uid()}`;
}

/** The file that names the home directories of accounts (`passwd(5)`). */
export const ACCOUNTS = "/etc/passwd";

/**
 * The cache in the home directory of this user's account, if the file of accounts names one. A start
 * uses it if it has no HOME and another user has made {@link fallback} first.
 */
function accountCache(): string[] {
  try {
    const uid = String(Deno.uid());
    const account = Deno.readTextFileSync(ACCOUNTS).split("\n").map((line) => line.split(":"))
      .find((fields) => fields[2] === uid);
    const home = account?.[5]?.replace(/\/$/, "") ?? "";
    return pathRules.isAbsolute(home) ? [`${home}/.cache/toolcall`] : [];
  } catch {
    return [];
  }
}

/** The directories to unpack into, the best first. All of them are the program's own paths. */
export function cacheDirectories(): string[] {
  if (readVariable("TOOLCALL_CACHE_DIR")) return cacheBy("TOOLCALL_CACHE_DIR");
  const [usual] = [...cacheBy("XDG_CACHE_HOME"), ...cacheBy("HOME")];
  return [...new Set([...(usual === undefined ? [] : [usual]), fallback(), ...accountCache()])];
}
