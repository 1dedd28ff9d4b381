import { type ArgumentProblem, problemFrom, problemIf } from "../../../base/argument_problem.ts";
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
 * The problems of a call, with the documented messages. `inserted` is the argument that the version of
 * the tool has for the text to insert.
 */
export function editorProblems(
  args: EditorArguments,
  cwd: string,
  inserted: "insert_text" | "new_str" = "insert_text",
): ArgumentProblem[] {
  const { command, path } = args;
  const meant = `${cwd === "/" ? "" : cwd}/${path}`;
  return [
    ...problemIf(
      !path.startsWith("/"),
      "/path",
      `The path ${path} is not an absolute path, it should start with \`/\`. Maybe you meant ${meant}?`,
    ),
    ...problemFrom("/path", () => command === "view" ? checkPath(path) : checkFilePath(path)),
    ...requiredBy(args, inserted).flatMap((name) =>
      problemIf(
        args[name] === undefined,
        `/${name}`,
        `Parameter \`${name}\` is required for command: ${command}`,
      )
    ),
  ];
}

/** The permissions of a call without problems. */
export function editorNeeds({ command, path }: EditorArguments): Permission[] {
  if (command === "view") return [{ name: "read", path }];
  if (command === "create") return [{ name: "write", path, directoriesIn: "/" }];
  return [{ name: "read", path }, { name: "write", path }];
}
