import type { ToolContext } from "../../../runner/registry/tool_context.ts";
import { type CallFile, callFile } from "../call_file.ts";
import { MEMORY_ROOT, memoryPath } from "./memory_path.ts";

/** The part of a context that the memory tool uses. */
export type MemoryContext = Pick<
  ToolContext,
  "path" | "mayRead" | "mayWrite" | "signal" | "memoryDirectory"
>;

/** The file that a call names. Throws when a symlink leads out of the memory directory. */
export function memoryFile(
  given: string,
  ctx: MemoryContext,
  action: CallFile["action"],
): CallFile {
  const directory = ctx.memoryDirectory!;
  const path = memoryPath(given, directory);
  const file = { ...callFile(ctx, { given: path, action }), given };
  const inside = directory === "/" ? "/" : `${directory}/`;
  if (file.path === directory || file.path.startsWith(inside)) return file;
  throw new Error(`Invalid path "${given}": a symbolic link leads out of ${MEMORY_ROOT}`);
}

/** Refuses a path through a symlink: its target would be removed or renamed in its place. */
export function refuseLink(file: CallFile, ctx: MemoryContext): CallFile {
  if (file.path === memoryPath(file.given, ctx.memoryDirectory!)) return file;
  throw new Error(`Invalid path "${file.given}": it goes through a symbolic link`);
}
