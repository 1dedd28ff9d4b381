/** The text editor that Anthropic's models know, with the texts of the reference implementation. */

import { CallError } from "../../../base/errors.ts";
import type { ToolContext } from "../../../runner/registry/tool_context.ts";
import { createText } from "../actions.ts";
import { type CallFile, callFile } from "../call_file.ts";
import { type ChangeErrors, insertText, replaceText, type TextChange } from "./change_text.ts";
import { directoryEntries, listedPath } from "./directory_entries.ts";
import type { EditorArguments } from "./editor_needs.ts";
import { numbered, type NumberedLines } from "./numbered_lines.ts";
import { withPathTexts } from "./path_error.ts";
import { readLines, showLines } from "./view_file.ts";

/** The most characters of a file that are shown, if the call sets no limit. */
const MAX_CHARACTERS = 100_000;

/** Takes each change that the editor has made. `before` is undefined for a new file. */
export type KeepEdit = (
  file: CallFile,
  edit: { before?: Uint8Array | undefined; after: Uint8Array },
) => Promise<void>;

/** The texts of the errors of a change. */
const errors: ChangeErrors = {
  many: (text, lines) =>
    `No replacement was performed. Multiple occurrences of old_str \`${text}\` in lines ` +
    `[${lines.join(", ")}]. Please ensure it is unique`,
  noLine: (line, lines) =>
    `Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the ` +
    `file: [0, ${lines}]`,
};

/** Runs a command other than `undo_edit`. Throws a readable error. */
export async function runTextEditor(
  args: EditorArguments,
  ctx: ToolContext,
  keep: KeepEdit = () => Promise.resolve(),
): Promise<string> {
  const { command, path } = args;
  const action = command === "view" ? "read" : command === "create" ? "write" : "edit";
  const file = callFile(ctx, { given: path, action });
  const texts = {
    missing: `The path ${path} does not exist. Please provide a valid path.`,
    directory:
      `The path ${path} is a directory and only the \`view\` command can be used on directories`,
  };
  return await withPathTexts(texts, async () => {
    switch (command) {
      case "view":
        return await view(file, args, ctx.signal);
      case "create":
        return await create(file, args.file_text ?? "", keep);
      case "str_replace": {
        const [oldText, newText] = [args.old_str ?? "", args.new_str ?? ""];
        const { signal } = ctx;
        const change = await replaceText(file, { oldText, newText, errors, signal });
        await keep(file, change);
        return edited(path, change, {
          shown: `a snippet of ${path}`,
          check: "Review the changes and make sure they are as expected.",
        });
      }
      default: {
        const text = args.insert_text ?? args.new_str ?? "";
        const options = { line: args.insert_line ?? 0, text, errors, signal: ctx.signal };
        const change = await insertText(file, options);
        await keep(file, change);
        return edited(path, change, {
          shown: "a snippet of the edited file",
          check: "Review the changes and make sure they are as expected (correct indentation, no " +
            "duplicate lines, etc).",
        });
      }
    }
  });
}

/** Lines as the result of a command has them. */
export function catOutput(shown: string, lines: string | NumberedLines): string {
  const text = typeof lines === "string" ? lines : numbered(lines);
  return `Here's the result of running \`cat -n\` on ${shown}:\n${text}\n`;
}

async function view(
  file: CallFile,
  { path, view_range: range, max_characters: most = MAX_CHARACTERS }: EditorArguments,
  signal: AbortSignal,
): Promise<string> {
  if (!isDirectory(file.path)) {
    return catOutput(path, showLines(await readLines(file, signal), { range, most }));
  }
  if (range !== undefined && range.length > 0) {
    throw new Error(
      "The `view_range` parameter is not allowed when `path` points to a directory.",
    );
  }
  const { paths, notes } = directoryEntries(file);
  const base = path === "/" ? "" : path.replace(/\/+$/, "");
  const lines = paths.map((each) => listedPath(`${base}/${each.replace(/\/$/, "")}`));
  return "Here's the files and directories up to 2 levels deep in " +
    `${path}, excluding hidden items:\n${[base || "/", ...lines, ...notes].join("\n")}\n`;
}

async function create(file: CallFile, text: string, keep: KeepEdit): Promise<string> {
  try {
    createText(file, text);
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    throw new Error(
      `File already exists at: ${file.given}. Cannot overwrite files using command \`create\`.`,
    );
  }
  await keep(file, { after: new TextEncoder().encode(text) });
  return `File created successfully at: ${file.given}`;
}

function edited(
  path: string,
  { snippet }: TextChange,
  { shown, check }: { shown: string; check: string },
): string {
  return `The file ${path} has been edited. ${catOutput(shown, snippet)}${check} ` +
    "Edit the file again if necessary.";
}

function isDirectory(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}
