import { lookAt, modeKind } from "../../base/fs/path_status.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { entryPath } from "./paths.ts";

/** A path inside a search that is closed to the call. */
export interface ClosedPath {
  /** The real path. */
  path: string;
  /** True for a directory, false for anything else. */
  isDirectory: boolean;
}

/** The closed paths below `root` that exist, without those inside another one. */
export function closedBelow(
  root: string,
  { closedPaths }: Pick<ToolContext, "closedPaths">,
): ClosedPath[] {
  const below = closedPaths.filter((path) => path.startsWith(entryPath(root, "")));
  const outer = below.filter((path) => !below.some((each) => path.startsWith(`${each}/`)));
  return outer.flatMap((path) => {
    const status = lookAt(path);
    return status === undefined ? [] : { path, isDirectory: modeKind(status.mode) === "directory" };
  });
}
