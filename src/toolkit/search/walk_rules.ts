/** The rules on the way to one path of a walk, which ripgrep does not tell. */

import { isRealDirectory } from "../../base/fs/path_status.ts";
import type { Verdict } from "./ignore_rules.ts";
import { IgnoreTree } from "./ignore_tree.ts";

import { entryPath, VERSION_CONTROL } from "./paths.ts";

/** The options of a walk that decide where it goes. */
export interface WalkRules {
  /** The real path of the directory where the walk begins. */
  root: string;
  /** The directories above it with a repository, if the call may not look itself. */
  repositories: readonly string[];
  /** The names of version control that are not left out. */
  versionControl: ReadonlySet<string>;
  /** The verdict of the caller's globs, which overrides every other rule. */
  choose?(path: string, isDirectory: boolean): Verdict;
  /** The directory from which on git's ignore files apply outside repositories too. */
  gitRulesFrom?: string;
  /** Whether the caller names an entry outright, by its path relative to the root. */
  isNamed?(relative: string): boolean;
  /** Whether the walk enters a directory. */
  reaches?(relative: string): boolean;
}

/**
 * Follows a path relative to the root. `isLeftOut`: rules keep the walk from it. `isFree`: rules
 * exclude a directory on the way that is named outright, or all its contents, so that no rules
 * count below it.
 */
export function followRules(
  relative: string,
  rules: WalkRules,
): { isLeftOut: boolean; isFree: boolean } {
  const { root, gitRulesFrom, choose, isNamed, reaches } = rules;
  let tree = IgnoreTree.above(root, rules.repositories);
  let [directory, isFree] = [root, false];
  for (const name of relative.split("/")) {
    tree = IgnoreTree.at(directory, tree);
    const path = entryPath(directory, name);
    const from = path.slice(entryPath(root, "").length);
    const isFolder = from !== relative || isRealDirectory(path);
    const verdict = choose?.(path, isFolder) ??
      (isFree ? undefined : tree.verdict(path, isFolder, gitRulesFrom));
    const isExempt = isNamed?.(from) === true;
    const isHidden = VERSION_CONTROL.has(name) && !rules.versionControl.has(name);
    const isPruned = isFolder && reaches?.(from) === false;
    if (isHidden || isPruned || verdict === "ignore" && !isExempt) {
      return { isLeftOut: true, isFree };
    }
    // Rules may exclude a directory, or any name in it.
    isFree ||= isExempt && isFolder &&
      (verdict === "ignore" ||
        tree.verdict(entryPath(path, "\uFFFD"), false, gitRulesFrom) === "ignore");
    directory = path;
  }
  return { isLeftOut: false, isFree };
}
