import type { ToolContext } from "../../runner/registry/tool_context.ts";
import type { ClosedPath } from "./closed.ts";
import { IgnoreRules, type Verdict } from "./ignore_rules.ts";
import { entryPath } from "./paths.ts";
import { globBase, type Query } from "./query.ts";
import type { RipgrepMessage } from "./ripgrep_messages.ts";
import { NOT_GRANTED } from "./skipped.ts";
import { followRules } from "./walk_rules.ts";

/** The closed paths that a search would have come to. */
export function closedInQuery(
  closed: readonly ClosedPath[],
  { query, ctx: { repositories } }: { query: Query; ctx: Pick<ToolContext, "repositories"> },
): RipgrepMessage[] {
  const { root } = query;
  const rules = { root, repositories, versionControl: new Set<string>(), choose: chooser(query) };
  return closed.flatMap(({ path }) => {
    const { isLeftOut } = followRules(path.slice(entryPath(root, "").length), rules);
    return isLeftOut ? [] : { path, text: NOT_GRANTED };
  });
}

/** The verdict of the globs of a query: a glob includes files, and with "!" excludes them. */
function chooser(query: Query): (path: string, isDirectory: boolean) => Verdict {
  const globs = IgnoreRules.of(query.globs);
  const prefix = entryPath(globBase(query), "");
  return (path, isDirectory) => {
    const relative = path.startsWith(prefix) ? path.slice(prefix.length) : path;
    const verdict = globs.verdict(relative, isDirectory);
    if (verdict !== undefined) return verdict === "ignore" ? "take" : "ignore";
    return globs.leavesOut && !isDirectory ? "ignore" : undefined;
  };
}
