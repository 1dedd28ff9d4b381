import type { Permission } from "../../../runner/registry/define.ts";
import { isMemoryRoot, MEMORY_ROOT, memoryPath } from "./memory_path.ts";

/** The arguments of a call of the memory tool. */
export interface MemoryArguments {
  /** The command. */
  command: "view" | "create" | "str_replace" | "insert" | "delete" | "rename";
  /** The path, for every command but `rename`. */
  path?: string | undefined;
  /** The first and the last line to show. */
  view_range?: readonly number[] | undefined;
  /** The text of a new file. */
  file_text?: string | undefined;
  /** The text to replace. */
  old_str?: string | undefined;
  /** The replacement. */
  new_str?: string | undefined;
  /** The line after which to insert. */
  insert_line?: number | undefined;
  /** The text to insert. */
  insert_text?: string | undefined;
  /** The path to rename. */
  old_path?: string | undefined;
  /** The new path. */
  new_path?: string | undefined;
}

/** The arguments that each command requires. */
const REQUIRED = {
  view: ["path"],
  create: ["path", "file_text"],
  str_replace: ["path", "old_str"],
  insert: ["path", "insert_line", "insert_text"],
  delete: ["path"],
  rename: ["old_path", "new_path"],
} as const satisfies Record<MemoryArguments["command"], readonly (keyof MemoryArguments)[]>;

/**
 * The permissions of a call, for the files in `directory`. Throws for a missing argument and for a
 * path outside of `/memories`.
 */
export function memoryNeeds(args: MemoryArguments, directory: string | undefined): Permission[] {
  const { command } = args;
  for (const name of REQUIRED[command]) {
    if (args[name] !== undefined) continue;
    throw new Error(`Parameter \`${name}\` is required for command: ${command}`);
  }
  const isRename = command === "rename";
  const paths = (isRename ? [args.old_path!, args.new_path!] : [args.path!]).map((given) => {
    const path = memoryPath(given, directory ?? "/");
    if ((isRename || command === "delete") && isMemoryRoot(given)) {
      throw new Error(`Error: Cannot ${command} the ${MEMORY_ROOT} directory itself`);
    }
    return path;
  });
  // Without a directory, the call fails with advice.
  if (directory === undefined) return [];
  const asEntry = isRename || command === "delete";
  const isNew = isRename || command === "create";
  return paths.flatMap((path): Permission[] => {
    const read = { name: "read", path } as const;
    if (command === "view") return [read];
    const write = {
      ...{ name: "write", path } as const,
      ...(asEntry && { asEntry }),
      ...(isNew && { directoriesIn: directory }),
    };
    return command === "create" ? [write] : [read, write];
  });
}
