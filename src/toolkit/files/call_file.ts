import { type FileTarget, fileTarget } from "../../base/fs/system_error.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { checkRootPath, outsideRoot } from "./check_path.ts";

/** A file that a call names, and what the call may know of the files around it. */
export interface CallFile extends FileTarget {
  /** Returns whether the flags let the call read a path. */
  mayRead(path: string): boolean;
}

/** A path as the call names it, and what is done to the file. */
type Named = Pick<FileTarget, "given" | "action">;

/** The file that a call names. Throws a readable error when its path cannot be resolved. */
export function callFile(ctx: Pick<ToolContext, "path" | "mayRead">, named: Named): CallFile {
  return {
    ...fileTarget((path) => ctx.path(path), named),
    mayRead: (path) => ctx.mayRead(path),
  };
}

/**
 * The file at a path relative to the root. Throws when the path or a symlink leads out of the root,
 * and when the path cannot be resolved.
 */
export function rootFile(
  ctx: Pick<ToolContext, "cwd" | "path" | "mayRead">,
  named: Named,
): CallFile {
  checkRootPath(named.given);
  const file = callFile(ctx, named);
  const inside = ctx.cwd === "/" ? "/" : `${ctx.cwd}/`;
  if (file.path === ctx.cwd || file.path.startsWith(inside)) return file;
  throw outsideRoot(named.given, "a symbolic link takes it out of the root");
}
