/** Reads unified diffs, those of git and those without its lines. */

import { quote } from "../../../base/text/quote.ts";
import { type FileHeader, parseFileHeader, startsFile } from "./git_header.ts";
import type { FilePatch, Hunk, HunkLine, Patch } from "./patch.ts";
import { hunkLine, PatchLines, SIGNS } from "./patch_lines.ts";
import { unifiedHeader } from "./unified_header.ts";

/** Whether a text is meant as a unified diff. */
export function isUnified(text: string): boolean {
  return /^(diff --git |--- .*\r?\n\+\+\+ )/m.test(text);
}

/** Reads a unified diff of several files. Throws `PatchSyntaxError`. */
export function parseUnified(text: string): Patch {
  const lines = PatchLines.of(text);
  const files: FilePatch[] = [];
  const notes: string[] = [];
  // A commit's message may come before the first file.
  while (!lines.isDone && !startsFile(lines)) lines.take();
  while (!lines.isDone) {
    if (!startsFile(lines)) {
      if (isFiller(lines.peek()!)) {
        lines.take();
        continue;
      }
      throw lines.fault(`expected "@@ -1,2 +1,2 @@" or "--- PATH", not ${quote(lines.peek()!)}`);
    }
    lines.countPart();
    const patchLine = lines.number;
    const header = parseFileHeader(lines);
    const hunks = parseHunks(lines);
    const file = fileOf(header, hunks, patchLine);
    if (file.kind === "update" && hunks.length === 0 && file.moveTo === undefined) {
      const isMode = header.ignored.length > 0;
      throw lines.fault(
        `the part of ${quote(file.path)} ${isMode ? "only changes the mode" : "has no hunk"}`,
      );
    }
    notes.push(...header.ignored.map((what) => `${quote(file.path)}: ${what} was ignored`));
    files.push(file);
  }
  return { format: "unified", files, notes };
}

/** Whether a line between two files says nothing: a blank one, or the end of a mailed patch. */
function isFiller(line: string): boolean {
  return line.trim() === "" || /^(-- |\d+\.\d+|Index: |={20,}|```)/.test(line);
}

function fileOf(
  { oldPath, newPath }: FileHeader,
  hunks: Hunk[],
  patchLine: number,
): FilePatch {
  if (oldPath === null) {
    return { kind: "add", path: newPath!, patchLine, content: contentOf(hunks) };
  }
  if (newPath === null) return { kind: "delete", path: oldPath, patchLine, hunks };
  const moved = oldPath === newPath ? {} : { moveTo: newPath };
  return { kind: "update", path: oldPath, patchLine, hunks, ...moved };
}

function contentOf(hunks: readonly Hunk[]): string {
  const added = hunks.flatMap(({ lines }) => lines).map(({ text }) => text);
  if (added.length === 0) return "";
  return added.join("\n") + (hunks.at(-1)!.endsWithNewline === false ? "" : "\n");
}

function parseHunks(lines: PatchLines): Hunk[] {
  const hunks: Hunk[] = [];
  while (lines.peek()?.startsWith("@@")) hunks.push(parseHunk(lines));
  return hunks;
}

/**
 * Reads one hunk. The numbers of lines in its header decide where it ends; models often count
 * wrong, so a hunk goes on with lines that cannot begin anything else.
 */
function parseHunk(lines: PatchLines): Hunk {
  lines.countPart();
  const patchLine = lines.number;
  const header = unifiedHeader(lines.peek()!);
  if (header === undefined && !/^@@( |@|$)/.test(lines.peek()!)) {
    throw lines.fault(`${quote(lines.peek()!)} is not a header such as "@@ -1,2 +1,2 @@"`);
  }
  const anchor = header === undefined ? lines.peek()!.replace(/^@@ ?|\s*@@$/g, "") : "";
  lines.take();
  let [oldLeft, newLeft] = [header?.oldCount ?? 0, header?.newCount ?? 0];
  const isExpected = () => oldLeft > 0 || newLeft > 0;
  const body: HunkLine[] = [];
  let endsWithNewline: boolean | undefined;
  while (!lines.isDone) {
    const line = lines.peek()!;
    if (line.startsWith("\\ ")) {
      // The mark belongs to the line above it.
      const isOfNew = body.at(-1)?.kind !== "remove";
      endsWithNewline = isOfNew ? false : endsWithNewline ?? true;
      lines.take();
      continue;
    }
    if (line.startsWith("@@") || line.startsWith("diff --git ")) break;
    if (!isExpected() && (startsFile(lines) || line === "" || line === "-- ")) break;
    if (startsFile(lines) && lines.peek(2)?.startsWith("@@")) break;
    const parsed = hunkLine(line);
    if (parsed === undefined) {
      if (!isExpected()) break;
      throw lines.fault(`${quote(line)} has no sign. ${SIGNS}`);
    }
    body.push(parsed);
    if (parsed.kind !== "add") oldLeft--;
    if (parsed.kind !== "remove") newLeft--;
    lines.take();
  }
  if (body.length === 0) throw lines.fault("the hunk has no lines");
  const isCounted = header === undefined || oldLeft === 0 && newLeft === 0;
  return {
    patchLine,
    anchors: anchor.trim() === "" ? [] : [anchor],
    lines: body,
    isAtEnd: false,
    ...(header && { oldStart: header.oldStart }),
    ...(endsWithNewline !== undefined && { endsWithNewline }),
    ...(!isCounted && { faults: ["the numbers of lines in its header are wrong"] }),
  };
}
