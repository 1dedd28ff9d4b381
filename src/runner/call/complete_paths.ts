import { pathRules } from "../../base/fs/path_rules.ts";
import { decide, type Grants } from "../sandbox/policy/grants.ts";
import { realPathIfAny } from "../sandbox/policy/paths.ts";

/** The most paths that are suggested. */
const MAX_PATHS = 50;

/** The permissions that limit the suggestions, and the directory of relative paths. */
export interface PathLimits {
  /** The permissions. */
  grants: Grants;
  /** The working directory, a real path. */
  cwd: string;
}

/**
 * Suggests paths that begin with a prefix, relative to `cwd` if the prefix is. Only directories
 * that the grants allow to read are listed, without what they deny. A directory ends with a slash.
 */
export function completePaths(prefix: string, { grants, cwd }: PathLimits) {
  const start = prefix.slice(0, prefix.lastIndexOf("/") + 1);
  const directory = realPathIfAny(pathRules.resolve(cwd, start === "" ? "." : start));
  if (directory === undefined) return [];
  if (!decide({ name: "read", path: directory }, grants).granted) return [];
  const found: string[] = [];
  try {
    for (const entry of Deno.readDirSync(directory)) {
      const path = `${start}${entry.name}${entry.isDirectory ? "/" : ""}`;
      const real = pathRules.resolve(directory, entry.name);
      if (!path.startsWith(prefix)) continue;
      if (decide({ name: "read", path: real }, grants).granted) found.push(path);
    }
  } catch {
    return [];
  }
  return found.sort().slice(0, MAX_PATHS);
}
