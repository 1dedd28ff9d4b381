/** The data of the published output types that the tools on files return. */

import type { StructuredPatchHunk } from "diff";
import { readRegular, readRegularText, tryReadText } from "../../base/fs/system_file.ts";
import type { ContentBlock } from "../../base/content.ts";
import { patchHunks } from "./edit/edit_diff.ts";
import { applyEdit, type EditPlan } from "./edit/edit_plan.ts";
import { decodeUtf8Lossy } from "../../base/text/utf8.ts";

/** The data of Edit's change: `FileEditOutput`. */
export function editData(
  args: { file_path: string; old_string: string; new_string: string; replace_all: boolean },
  { before, plan }: { before: Uint8Array; plan: EditPlan },
): Record<string, unknown> {
  const original = decodeUtf8Lossy(before);
  return {
    filePath: args.file_path,
    oldString: args.old_string,
    newString: args.new_string,
    originalFile: original,
    structuredPatch: hunksOf(original, decodeUtf8Lossy(applyEdit(before, plan))),
    userModified: false,
    replaceAll: args.replace_all,
  };
}

/** The data of several edits, as one replacement of the lines from the first to the last change. */
export function stepsData(
  file_path: string,
  { before, plan }: { before: Uint8Array; plan: EditPlan },
): Record<string, unknown> {
  const [old_string, new_string] = [plan.needle, plan.replacement].map(decodeUtf8Lossy);
  const args = { file_path, old_string: old_string!, new_string: new_string!, replace_all: false };
  return editData(args, { before, plan });
}

/** The text of a regular file before Write; `null` if the file is missing or unreadable. */
export function originalText(path: string): string | null {
  return tryReadText(path) ?? null;
}

/** The data of Write's change: `FileWriteOutput`. `original` is the text before. */
export function writeData(
  { file_path, content }: { file_path: string; content: string },
  { original, isNew }: { original: string | null; isNew: boolean },
): Record<string, unknown> {
  return {
    type: isNew ? "create" : "update",
    filePath: file_path,
    content,
    structuredPatch: original === null ? [] : hunksOf(original, content),
    originalFile: isNew ? null : original,
  };
}

/** The data of Read's result: `FileReadOutput`. The text is taken from `shown`. */
export function readData(
  shown: string | ContentBlock[],
  { path, given, offset }: { path: string; given: string; offset: number },
): Record<string, unknown> {
  const originalSize = Deno.statSync(path).size;
  const image = typeof shown === "string" ? undefined : shown.find(({ type }) => type === "image");
  if (/\.ipynb$/i.test(path) && typeof shown !== "string") {
    const { cells } = JSON.parse(readRegularText(path).replace(/^\ufeff/, ""));
    return { type: "notebook", file: { filePath: given, cells } };
  }
  if (image?.type === "image") {
    return { type: "image", file: { base64: image.data, type: image.mimeType, originalSize } };
  }
  const text = typeof shown === "string" ? shown : "";
  const content = numberedLines(text, offset);
  if (content === undefined) {
    const base64 = readRegular(path).toBase64();
    return { type: "pdf", file: { filePath: given, base64, originalSize } };
  }
  return {
    type: "text",
    file: {
      filePath: given,
      content: content.join("\n"),
      numLines: content.length,
      startLine: offset,
      totalLines: totalLines(text) ?? offset + content.length - 1,
    },
  };
}

/** The lines without their numbers; `undefined` for lines without numbers. */
function numberedLines(text: string, offset: number): string[] | undefined {
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    const [, number, rest = ""] = /^ *(\d+)\t([^]*)$/.exec(line) ?? [];
    if (Number(number) !== offset + lines.length) break;
    lines.push(rest);
  }
  return lines.length > 0 || text.startsWith("[The file is empty]") ? lines : undefined;
}

/** The total number of lines, from the note below the lines. */
function totalLines(text: string): number | undefined {
  const note = /\n\[Shown up to line [\d,]+ of (?:at least )?([\d,]+) lines?/.exec(text)?.[1];
  return note === undefined ? undefined : Number(note.replaceAll(",", ""));
}

/** The largest total length of two texts that are compared, in UTF-16 units. */
const MAX_COMPARED = 1024 * 1024;

/** The hunks of a change; empty if the texts are too long or too different. */
function hunksOf(before: string, after: string): StructuredPatchHunk[] {
  return before.length + after.length > MAX_COMPARED ? [] : patchHunks(before, after) ?? [];
}
