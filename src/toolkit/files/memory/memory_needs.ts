import { type ArgumentProblem, problemFrom, problemIf } from "../../../base/argument_problem.ts";
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

/** The problems of a call, with the documented messages: missing arguments, and invalid paths. */
export function memoryProblems(args: MemoryArguments): ArgumentProblem[] {
  const { command } = args;
  const isEntry = command === "rename" || command === "delete";
  return [
    ...REQUIRED[command].flatMap((name) =>
      problemIf(
        args[name] === undefined,
        `/${name}`,
        `Parameter \`${name}\` is required for command: ${command}`,
      )
    ),
    ...pathsOf(args).flatMap(([name, given = MEMORY_ROOT]) => [
      ...problemFrom(`/${name}`, () => memoryPath(given, "/")),
      ...problemIf(
        isEntry && args[name] !== undefined && isMemoryRoot(given),
        `/${name}`,
        `Error: Cannot ${command} the ${MEMORY_ROOT} directory itself`,
      ),
    ]),
  ];
}

/** The paths that a call names, with the names of the arguments. */
function pathsOf(args: MemoryArguments) {
  const names = args.command === "rename" ? ["old_path", "new_path"] as const : ["path"] as const;
  return names.map((name) => [name, args[name]] as const);
}

/** The permissions of a call without problems, for the files in `directory`. */
export function memoryNeeds(args: MemoryArguments, directory: string | undefined): Permission[] {
  // Without a directory, the call fails with advice.
  if (directory === undefined) return [];
  const { command } = args;
  const isRename = command === "rename";
  const asEntry = isRename || command === "delete";
  const isNew = isRename || command === "create";
  return pathsOf(args).flatMap(([, given = MEMORY_ROOT]): Permission[] => {
    const path = memoryPath(given, directory);
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
