/** The tools of the bundle `compat`: names and arguments that models know from other programs. */

import type { FromSchema, JSONSchema } from "json-schema-to-ts";
import type { CallError } from "../../base/errors.ts";
import { invalidArguments } from "../call/invalid_arguments.ts";
import { pathRules } from "../../base/fs/path_rules.ts";
import type { ToolMetadata } from "../registry/registered_tool.ts";

type Args = Record<string, unknown>;

/** A tool that stands for another tool of the catalogue. */
export interface CompatTool {
  /** The name of the tool that executes its calls. */
  target: string;
  /** The description for models. */
  description: string;
  /** The schema of its arguments. */
  inputSchema: Args;
  /** The arguments that are accepted and have no effect. */
  ignores: readonly string[];
  /** The parts of the metadata that differ from those of the target. */
  differs: Partial<ToolMetadata>;
  /** Returns the arguments of the target. Throws `invalid_arguments`. */
  rewrite(args: Args, cwd: string): Args;
}

/** Declares a tool. The properties with the text {@link IGNORED} have no effect. */
function standsFor<const P extends Record<string, JSONSchema>, const R extends keyof P & string>(
  target: string,
  { description, properties, required, rewrite, differs = {} }: {
    description: string;
    properties: P;
    required: readonly R[];
    rewrite(args: ArgumentsOf<P, R>, cwd: string): Args;
    differs?: Partial<ToolMetadata>;
  },
): CompatTool {
  return {
    ...{ target, description, differs, rewrite: rewrite as CompatTool["rewrite"] },
    inputSchema: { type: "object", properties, required, additionalProperties: false },
    ignores: Object.keys(properties).filter((name) =>
      (properties[name] as Args)["description"] === IGNORED
    ),
  };
}

type ArgumentsOf<P extends Record<string, JSONSchema>, R extends string> = FromSchema<
  { type: "object"; properties: P; required: R[]; additionalProperties: false }
>;

const IGNORED = "Ignored.";

const string = { type: "string", description: IGNORED } as const;
const flag = { type: "boolean", description: IGNORED } as const;
const object = { type: "object", description: IGNORED } as const;
const strings = { type: "array", items: { type: "string" }, description: IGNORED } as const;
const count = { type: "integer", minimum: 0 } as const;
const line = { type: "integer", minimum: 1 } as const;

/** Text that may not be empty. */
const text = <const D extends string>(description: D) =>
  ({ type: "string", minLength: 1, description }) as const;

const FILE = "Path of the file, absolute or relative to the working directory.";
const DIRECTORY = "Path of the directory, absolute or relative to the working directory.";

const edit = {
  old_string: { type: "string", description: "The text to replace." },
  new_string: { type: "string", description: "The replacement." },
} as const;

const EXPECTED = "The number of occurrences. More than 1 replaces all. Another number is an error.";

/** An edit whose occurrences are counted replaces every one. */
function counted<T extends { expected_replacements?: number; replace_all?: boolean }>(edit: T): T {
  const isMany = (edit.expected_replacements ?? 1) > 1;
  return isMany ? { ...edit, replace_all: true } : edit;
}

/** The value of the one argument that is given of several names for the same. */
function oneOf(tool: string, values: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  const [first] = Object.keys(values);
  if (given.length === 1) return given[0]![1]!;
  throw given.length === 0
    ? invalid(tool, `/${first}`, "required (string)")
    : invalid(tool, `/${given[1]![0]}`, `must not be given together with /${given[0]![0]}`);
}

function invalid(name: string, path: string, message: string): CallError {
  return invalidArguments(name, [{ path, message }]);
}

const absolute = (path: string, cwd: string) => pathRules.resolve(cwd, path);

/** The arguments without those that are missing. */
const given = (args: Args): Args =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));

const lists = { sideEffect: "read_only", permissionKinds: ["read"], permissionSets: [["read"]] };

/** The tools by name. */
export const compatTools: Readonly<Record<string, CompatTool>> = {
  BashOutput: standsFor("TaskOutput", {
    description: "Returns the output of a background command so far. It does not wait for the end.",
    properties: { bash_id: text("The id of the task."), filter: string },
    required: ["bash_id"],
    rewrite: ({ bash_id }) => ({ task_id: bash_id, block: false }),
  }),
  KillBash: standsFor("TaskStop", {
    description: "Stops a background command and everything that it started.",
    properties: { shell_id: text("The id of the task.") },
    required: ["shell_id"],
    rewrite: ({ shell_id }) => ({ task_id: shell_id }),
  }),
  MultiEdit: standsFor("Edit", {
    description:
      "Replaces several texts in one file, one after the other. Each old_string must match exactly, and only once unless replace_all is set. If one fails, nothing changes.",
    properties: {
      file_path: text(FILE),
      edits: {
        type: "array",
        description: "The replacements, in order.",
        minItems: 1,
        items: {
          type: "object",
          properties: {
            ...edit,
            replace_all: { type: "boolean", description: "Replaces every occurrence." },
            expected_replacements: { ...line, description: EXPECTED },
          },
          required: ["old_string", "new_string"],
          additionalProperties: false,
        },
      },
    },
    required: ["file_path", "edits"],
    rewrite: ({ file_path, edits }, cwd) => (
      { file_path: absolute(file_path, cwd), edits: edits.map(counted) }
    ),
  }),
  LS: standsFor("file", {
    description:
      "Lists the names in one directory, sorted. Directories end in /, symlinks in @. Returns at most 1,000 names.",
    properties: { path: text(DIRECTORY), ignore: strings },
    required: ["path"],
    rewrite: ({ path }) => ({ action: "list", path }),
    differs: lists as Partial<ToolMetadata>,
  }),
  NotebookRead: standsFor("Read", {
    description: "Reads a Jupyter notebook (.ipynb): all cells with their outputs.",
    properties: { notebook_path: text(FILE), cell_id: string },
    required: ["notebook_path"],
    rewrite: ({ notebook_path }, cwd) => ({ file_path: absolute(notebook_path, cwd) }),
  }),
  read_file: standsFor("Read", {
    description:
      "Reads a file: text with line numbers, an image, a PDF or a notebook. Give the path as file_path. For a part of a text, give start_line and end_line, or offset and limit.",
    properties: {
      file_path: text(FILE),
      absolute_path: text("The same as file_path."),
      path: text("The same as file_path."),
      start_line: { ...line, description: "The first line, from 1." },
      end_line: { ...line, description: "The last line." },
      offset: { ...count, description: "The first line, from 0." },
      limit: { ...line, description: "The maximum number of lines." },
    },
    required: [],
    rewrite({ file_path, absolute_path, path, start_line, end_line, offset, limit }, cwd) {
      const first = start_line ?? (offset ?? 0) + 1;
      if (end_line !== undefined && end_line < first) {
        throw invalid("read_file", "/end_line", `must be at least ${first}, got ${end_line}`);
      }
      const lines = end_line === undefined ? limit : end_line - first + 1;
      const file = oneOf("read_file", { file_path, absolute_path, path });
      return given({ file_path: absolute(file, cwd), offset: first, limit: lines });
    },
  }),
  write_file: standsFor("Write", {
    description:
      "Writes a text file in UTF-8, replacing any existing content. Creates missing directories.",
    properties: {
      file_path: text(FILE),
      path: text("The same as file_path."),
      content: { type: "string", description: "The whole content." },
    },
    required: ["content"],
    rewrite: ({ file_path, path, content }, cwd) => (
      { file_path: absolute(oneOf("write_file", { file_path, path }), cwd), content }
    ),
  }),
  list_directory: standsFor("file", {
    description:
      "Lists the names in one directory, sorted. Directories end in /, symlinks in @. Returns at most 1,000 names.",
    properties: {
      dir_path: text(DIRECTORY),
      path: text("The same as dir_path."),
      ...{ ignore: strings, respect_git_ignore: flag, file_filtering_options: object },
    },
    required: [],
    rewrite: ({ dir_path, path }) => (
      { action: "list", path: oneOf("list_directory", { dir_path, path }) }
    ),
    differs: lists as Partial<ToolMetadata>,
  }),
  run_shell_command: standsFor("Bash", {
    description:
      "Runs a command with bash. Returns stdout and stderr. There is no input. A non-zero exit code is an error. With is_background it returns the id of a task immediately.",
    properties: {
      command: text("The command, in bash syntax."),
      description: { type: "string", description: "The purpose of the command, for the user." },
      dir_path: text("The directory to run it in. Default: the working directory."),
      directory: text("The same as dir_path."),
      is_background: { type: "boolean", description: "Runs the command in the background." },
    },
    required: ["command"],
    rewrite({ command, description, dir_path, directory, is_background }) {
      const tool = "run_shell_command";
      const isHere = dir_path === undefined && directory === undefined;
      const start = isHere
        ? ""
        : `cd -- ${shellWord(oneOf(tool, { dir_path, directory }))} || exit\n`;
      return given({
        ...{ command: `${start}${command}`, description },
        ...(is_background === true && { run_in_background: true }),
      });
    },
  }),
  replace: standsFor("Edit", {
    description:
      "Replaces old_string with new_string in a file. old_string must match exactly, and only once unless allow_multiple is set or expected_replacements is more than 1. An empty old_string creates a new file.",
    properties: {
      file_path: text(FILE),
      ...edit,
      allow_multiple: { type: "boolean", description: "Replaces every occurrence." },
      expected_replacements: { ...line, description: EXPECTED },
      instruction: string,
    },
    required: ["file_path", "old_string", "new_string"],
    rewrite({ file_path, allow_multiple, expected_replacements, instruction: _, ...texts }, cwd) {
      const file = { file_path: absolute(file_path, cwd) };
      const replace_all = allow_multiple === true;
      // An empty string creates a file, so that nothing is counted.
      if (expected_replacements === undefined || texts.old_string === "") {
        return { ...file, ...texts, replace_all };
      }
      return { ...file, edits: [counted({ ...texts, replace_all, expected_replacements })] };
    },
  }),
  search_file_content: standsFor("Grep", {
    description:
      "Searches file contents with a regular expression, using ripgrep's syntax. Returns the matching lines with path and number. Ignores case unless case_sensitive is set.",
    properties: {
      pattern: text("The regular expression (Rust syntax)."),
      dir_path: text("The file or directory to search. Default: the working directory."),
      path: text("The same as dir_path."),
      include_pattern: text('Which files to search, such as "*.ts".'),
      include: text("The same as include_pattern."),
      case_sensitive: { type: "boolean", description: "Whether case matters." },
      fixed_strings: { type: "boolean", description: "Whether pattern is plain text." },
      names_only: { type: "boolean", description: "Returns only the paths of the files." },
      context: { ...count, description: "How many lines to show before and after a match." },
      before: { ...count, description: "How many lines to show before a match." },
      after: { ...count, description: "How many lines to show after a match." },
      total_max_matches: { ...line, description: "The maximum number of lines or paths." },
      max_matches_per_file: { ...count, description: IGNORED },
      ...{ exclude_pattern: string, no_ignore: flag },
    },
    required: ["pattern"],
    rewrite(args) {
      const { pattern, dir_path, path, include_pattern, include, case_sensitive } = args;
      const { fixed_strings, names_only, context, before, after, total_max_matches } = args;
      const tool = "search_file_content";
      const either = (values: Record<string, string | undefined>) =>
        Object.values(values).some((value) => value !== undefined)
          ? oneOf(tool, values)
          : undefined;
      return given({
        pattern: fixed_strings === true ? escapeRegExp(pattern) : pattern,
        path: either({ dir_path, path }),
        glob: either({ include_pattern, include }),
        output_mode: names_only === true ? "files_with_matches" : "content",
        "-i": case_sensitive !== true,
        ...{ "-C": context, "-B": before, "-A": after, head_limit: total_max_matches },
      });
    },
  }),
};

/** A string as one word of a shell command. */
function shellWord(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`;
}

function escapeRegExp(value: string): string {
  return value.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
