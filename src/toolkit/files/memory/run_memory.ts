/** The commands of the memory tool, with the texts of its documentation. */

import { CallError } from "../../../base/errors.ts";
import { makeDirectories } from "../../../base/fs/change_files.ts";
import { createText } from "../actions.ts";
import type { CallFile } from "../call_file.ts";
import { type ChangeErrors, insertText, replaceText } from "../text_editor/change_text.ts";
import { numbered } from "../text_editor/numbered_lines.ts";
import { withPathTexts } from "../text_editor/path_error.ts";
import { readLines, showLines } from "../text_editor/view_file.ts";
import { deleteTree, entryAt, moveTree } from "./change_tree.ts";
import { type MemoryContext, memoryFile, refuseLink } from "./memory_file.ts";
import { memoryListing } from "./memory_listing.ts";
import type { MemoryArguments } from "./memory_needs.ts";
import { isMemoryRoot } from "./memory_path.ts";

/** The most characters of a file that are shown. */
const MAX_CHARACTERS = 100_000;
/** The most lines of a file whose numbers fit into six columns. */
const MAX_LINES = 999_999;

const errors: ChangeErrors = {
  many: (text, lines) =>
    `No replacement was performed. Multiple occurrences of old_str \`${text}\` in lines: ` +
    `${lines.join(", ")}. Please ensure it is unique`,
  noLine: (line, lines) =>
    `Error: Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of ` +
    `the file: [0, ${lines}]`,
};

/** Runs a command. Throws a readable error. */
export async function runMemory(args: MemoryArguments, ctx: MemoryContext): Promise<string> {
  const { command, path = "", old_str = "", new_str = "", insert_line = 0 } = args;
  if (ctx.memoryDirectory === undefined) {
    throw new CallError(
      "unavailable",
      "Cannot use the memory: no directory is set; start toolcall with --memory-dir=DIR, and " +
        "allow it with --allow-read=DIR and --allow-write=DIR",
    );
  }
  if (command === "rename") return rename(args.old_path!, args.new_path!, ctx);
  const missing = `The path ${path} does not exist`;
  if (command === "delete") {
    const file = memoryFile(path, ctx, "edit");
    if (entryAt(file) === undefined) throw new Error(`Error: ${missing}`);
    deleteTree(refuseLink(file, ctx), ctx.mayWrite);
    return `Successfully deleted ${path}`;
  }
  const { signal } = ctx;
  if (command === "create") {
    createNew(memoryFile(path, ctx, "write"), args.file_text ?? "");
    return `File created successfully at: ${path}`;
  }
  const file = memoryFile(path, ctx, command === "view" ? "read" : "edit");
  const start = command === "view" ? "" : "Error: ";
  const advice = command === "insert" ? "" : ". Please provide a valid path.";
  const text = `${start}${missing}${advice}`;
  return await withPathTexts({ missing: text, directory: text }, async () => {
    switch (command) {
      case "view":
        return await view(file, args.view_range, signal);
      case "str_replace": {
        const texts = { oldText: old_str, newText: new_str };
        const { snippet } = await replaceText(file, { ...texts, errors, signal });
        return `The memory file has been edited.\n${numbered(snippet)}`;
      }
      case "insert": {
        const inserted = (args.insert_text ?? "").replace(/\r?\n$/, "");
        await insertText(file, { line: insert_line, text: inserted, errors, signal });
        return `The file ${path} has been edited.`;
      }
    }
  });
}

async function view(
  file: CallFile,
  range: readonly number[] | undefined,
  signal: AbortSignal,
): Promise<string> {
  const found = entryAt(file);
  // A new memory directory is made by the first file.
  if (found?.isDirectory || found === undefined && isMemoryRoot(file.given)) {
    return memoryListing(file);
  }
  const lines = await readLines(file, signal);
  if (lines.length > MAX_LINES) {
    throw new Error(`File ${file.given} exceeds maximum line limit of 999,999 lines.`);
  }
  const shown = showLines(lines, { range, most: MAX_CHARACTERS });
  return `Here's the content of ${file.given} with line numbers:\n${shown}`;
}

function createNew(file: CallFile, text: string): void {
  try {
    createText(file, text);
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    throw new Error(`Error: File ${file.given} already exists`);
  }
}

function rename(given: string, wanted: string, ctx: MemoryContext): string {
  const from = memoryFile(given, ctx, "edit");
  const to = refuseLink(memoryFile(wanted, ctx, "edit"), ctx);
  const found = entryAt(from);
  if (found === undefined) throw new Error(`Error: The path ${given} does not exist`);
  refuseLink(from, ctx);
  const exists = () => new Error(`Error: The destination ${wanted} already exists`);
  if (entryAt(to) !== undefined) throw exists();
  if (to.path.startsWith(`${from.path}/`)) {
    throw new Error(`Error: Cannot rename ${given} to a path inside itself`);
  }
  const { isDirectory } = found;
  makeDirectories(to.path.slice(0, to.path.lastIndexOf("/")) || "/");
  const isRenamed = moveTree(from, to, { mayChange: ctx.mayWrite, isDirectory });
  if (!isRenamed) throw exists();
  return `Successfully renamed ${given} to ${wanted}`;
}
