import { removeFile } from "../../../base/fs/change_files.ts";
import { systemError } from "../../../base/fs/system_error.ts";
import { decodeUtf8Lossy } from "../../../base/text/utf8.ts";
import type { ToolContext } from "../../../runner/registry/tool_context.ts";
import type { EditsService, KeptEdit } from "../../../runner/registry/edits_service.ts";
import { type CallFile, callFile } from "../call_file.ts";
import { changeFile } from "../edit/change_file.ts";
import { linesOfText } from "./numbered_lines.ts";
import { catOutput, type KeepEdit } from "./run_text_editor.ts";
import { showLines } from "./view_file.ts";

const MAX_BYTES = 64 * 1024 * 1024;

/** Keeps the edits of the editor, so that they can be undone. */
export function keepIn(edits: EditsService): KeepEdit {
  return async ({ path }, { before, after }) =>
    await edits.push(path, {
      ...(before !== undefined && { before: before.toBase64() }),
      after: await digestOf(after),
    });
}

/**
 * Undoes the last edit of a file in this session. A file that the edit made is removed. Throws if
 * there is no such edit, or if the file has changed since: then nothing is undone.
 */
export async function undoEdit(path: string, ctx: ToolContext): Promise<string> {
  const file = callFile(ctx, { given: path, action: "edit" });
  const edit = await ctx.edits.last(file.path);
  if (edit === undefined) throw new Error(`No edit history found for ${path}.`);
  const text = await restore(file, edit, ctx.signal);
  await ctx.edits.drop(file.path);
  const start = `Last edit to ${path} undone successfully.`;
  if (text === undefined) return `${start} The edit had created the file, so it was removed.`;
  const lines = showLines(linesOfText(text), { range: undefined, most: 100_000 });
  return `${start} ${catOutput(path, lines)}`;
}

/** Restores the text before an edit, and returns it; `undefined` if the file is removed. */
async function restore(
  file: CallFile,
  { before, after }: KeptEdit,
  signal: AbortSignal,
): Promise<string | undefined> {
  const bytes = before === undefined ? undefined : Uint8Array.fromBase64(before);
  const change = async (now: Uint8Array<ArrayBuffer>) => {
    if (await digestOf(now) !== after) {
      throw new Error(
        `Cannot undo the last edit to ${file.given}: the file was changed after it; view the file ` +
          "and edit it instead",
      );
    }
    return { bytes: bytes ?? now };
  };
  const advice = "the editor takes files of up to 64 MiB";
  await changeFile(file, { limit: MAX_BYTES, advice, signal, change });
  if (bytes !== undefined) return decodeUtf8Lossy(bytes);
  try {
    removeFile(file.path);
  } catch (error) {
    throw systemError(error, file);
  }
  return undefined;
}

async function digestOf(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new Uint8Array(bytes));
  return new Uint8Array(digest).toHex();
}
