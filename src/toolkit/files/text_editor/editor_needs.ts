import type { Permission } from "../../../runner/registry/define.ts";
import { checkFilePath, checkPath } from "../check_path.ts";

/** The arguments of a call of a text editor. */
export interface EditorArguments {
  /** The command. `undo_edit` is for the version that has it. */
  command: "view" | "create" | "str_replace" | "insert" | "undo_edit";
  /** The absolute path of the file or directory. */
  path: string;
  /** The text of a new file. */
  file_text?: string | undefined;
  /** The first and the last line to show. */
  view_range?: readonly number[] | undefined;
  /** The text to replace. */
  old_str?: string | undefined;
  /** The replacement, or the text to insert. */
  new_str?: string | undefined;
  /** The line after which to insert. */
  insert_line?: number | undefined;
  /** The text to insert. */
  insert_text?: string | undefined;
  /** The most characters of a file to show. */
  max_characters?: number | undefined;
}

/** The arguments that a command requires besides its path. */
function requiredBy(
  { command, new_str }: EditorArguments,
  inserted: "insert_text" | "new_str",
): readonly (keyof EditorArguments)[] {
  if (command === "create") return ["file_text"];
  if (command === "str_replace") return ["old_str"];
  if (command !== "insert") return [];
  return ["insert_line", new_str === undefined ? inserted : "new_str"];
}

/**
 * The permissions of a call. Throws the documented error for a missing or wrong argument. `inserted`
 * is the argument that the version of the tool has for the text to insert.
 */
export function editorNeeds(
  args: EditorArguments,
  cwd: string,
  inserted: "insert_text" | "new_str" = "insert_text",
): Permission[] {
  const { command, path } = args;
  if (!path.startsWith("/")) {
    const meant = `${cwd === "/" ? "" : cwd}/${path}`;
    throw new Error(
      `The path ${path} is not an absolute path, it should start with \`/\`. Maybe you meant ${meant}?`,
    );
  }
  for (const name of requiredBy(args, inserted)) {
    if (args[name] !== undefined) continue;
    throw new Error(`Parameter \`${name}\` is required for command: ${command}`);
  }
  if (command === "view") return [{ name: "read", path: checkPath(path) }];
  const file = checkFilePath(path);
  if (command === "create") return [{ name: "write", path: file, directoriesIn: "/" }];
  return [{ name: "read", path: file }, { name: "write", path: file }];
}
