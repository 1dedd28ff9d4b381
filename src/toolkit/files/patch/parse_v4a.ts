/** Reads patches in the format V4A, which names no line numbers. */

import { quote } from "../../../base/text/quote.ts";
import type { FilePatch, Hunk, HunkLine, Patch } from "./patch.ts";
import { hunkLine, PatchLines, PatchSyntaxError, SIGNS } from "./patch_lines.ts";
import { unifiedHeader } from "./unified_header.ts";

const BEGIN = "*** Begin Patch";
const END = "*** End Patch";
const FILE_HEADER = /^\*\*\* (Add|Delete|Update) File: *(.*)$/;
const MOVE = /^\*\*\* Move to: *(.*)$/;
const END_OF_FILE = "*** End of File";
const HEADERS = ["Add", "Delete", "Update"].map((word) => `"*** ${word} File: PATH"`).join(", ");

/** Whether a text is meant as a V4A patch, by its first two lines. */
export function isV4a(text: string): boolean {
  return text.trimStart().split("\n", 2).some((line) =>
    /^\*\*\* (Begin Patch|(Add|Delete|Update) File:)/.test(line.trim())
  );
}

/**
 * Reads a patch between `*** Begin Patch` and `*** End Patch`. Blanks around these lines, and a
 * shell's here-document or a code fence around the patch, are ignored. Throws
 * {@link PatchSyntaxError}.
 */
export function parseV4a(text: string): Patch {
  const all = PatchLines.of(text).lines;
  const isBlank = (line: string | undefined) => line?.trim() === "";
  let [from, to] = [0, all.length];
  const trim = () => {
    while (from < to && isBlank(all[from])) from++;
    while (to > from && isBlank(all[to - 1])) to--;
  };
  trim();
  const notes: string[] = [];
  const wrapper = wrapperOf(all[from], all[to - 1]);
  if (wrapper !== undefined && to - from >= 4) {
    [from, to] = [from + 1, to - 1];
    notes.push(`The ${wrapper} around the patch was ignored`);
    trim();
  }
  if (all[from]?.trim() !== BEGIN) {
    throw new PatchSyntaxError(`the first line must be "${BEGIN}"`, from + 1);
  }
  if (to - from < 2 || all[to - 1]!.trim() !== END) {
    throw new PatchSyntaxError(`the last line must be "${END}"`, to);
  }
  const lines = new PatchLines(all.slice(from + 1, to - 1), from + 2);
  const files: FilePatch[] = [];
  while (!lines.isDone) {
    if (isBlank(lines.peek())) lines.take();
    else files.push(parseFile(lines));
  }
  return { format: "V4A", files, notes };
}

function wrapperOf(first = "", last = ""): string | undefined {
  if (/^(apply_?patch\s+)?<<-?\s*(['"]?)(\w+)\2\s*$/.test(first) && /^\w+$/.test(last)) {
    return first.includes(last) ? "here-document" : undefined;
  }
  return /^```\w*\s*$/.test(first) && last.trim() === "```" ? "code fence" : undefined;
}

/** Reads the part of one file. */
function parseFile(lines: PatchLines): FilePatch {
  lines.countPart();
  const patchLine = lines.number;
  const [, kind, given = ""] = FILE_HEADER.exec(lines.peek()!.trim()) ?? [];
  if (kind === undefined) {
    throw lines.fault(`${quote(lines.peek()!)} is not one of ${HEADERS}`);
  }
  const path = pathOf(given, lines);
  lines.take();
  if (kind === "Delete") return { kind: "delete", path, patchLine, hunks: [] };
  if (kind === "Add") return { kind: "add", path, patchLine, content: parseAdded(lines) };
  const [, moveTo] = MOVE.exec(lines.peek()?.trim() ?? "") ?? [];
  const moved = moveTo === undefined ? {} : { moveTo: pathOf(moveTo, lines) };
  if (moveTo !== undefined) lines.take();
  const hunks = parseHunks(lines);
  if (hunks.length === 0 && moveTo === undefined) {
    throw new PatchSyntaxError(`the update of ${quote(path)} has no hunk`, patchLine);
  }
  return { kind: "update", path, patchLine, hunks, ...moved };
}

function pathOf(given: string, lines: PatchLines): string {
  const path = given.trim();
  if (path !== "") return path;
  throw lines.fault("the path is missing");
}

/** The content of a new file: each line has a `+` in front. */
function parseAdded(lines: PatchLines): string {
  let content = "";
  while (!lines.isDone) {
    const line = lines.peek()!;
    if (!line.startsWith("+")) {
      if (line.trim() === "" || line.trim().startsWith("*** ")) break;
      throw lines.fault(`each line of a new file starts with "+", but this is ${quote(line)}`);
    }
    content += `${line.slice(1)}\n`;
    lines.take();
  }
  return content;
}

/**
 * Reads the hunks of an update up to the next file or the end. This is also a whole diff of one file
 * without the lines around it.
 */
export function parseHunks(lines: PatchLines): Hunk[] {
  const hunks: Hunk[] = [];
  while (!lines.isDone && !FILE_HEADER.test(lines.peek()!.trim())) {
    const line = lines.peek()!;
    // A blank line between hunks is no part of one.
    if (line.trim() === "" && isBetweenHunks(lines)) lines.take();
    else if (hunks.length > 0 && !line.startsWith("@@")) {
      throw lines.fault(`expected "@@" or the next file, but this is ${quote(line)}. ${SIGNS}`);
    } else hunks.push(parseHunk(lines));
  }
  return hunks;
}

/** Whether only blank lines come before the next `@@`, the next file or the end. */
function isBetweenHunks(lines: PatchLines): boolean {
  for (let ahead = 0;; ahead++) {
    const line = lines.peek(ahead);
    if (line?.trimEnd() === END_OF_FILE) return false;
    if (line === undefined || line.startsWith("@@") || line.startsWith("*** ")) return true;
    if (line.trim() !== "") return false;
  }
}

function parseHunk(lines: PatchLines): Hunk {
  lines.countPart();
  const patchLine = lines.number;
  const header: { anchors: string[]; oldStart?: number } = { anchors: [] };
  while (/^@@( |$)/.test(lines.peek() ?? "")) {
    const line = lines.take();
    const numbers = unifiedHeader(line);
    if (numbers !== undefined) header.oldStart = numbers.oldStart;
    const anchor = numbers === undefined ? line.slice(3) : "";
    if (anchor.trim() !== "") header.anchors.push(anchor);
  }
  const body: HunkLine[] = [];
  let isAtEnd = false;
  while (!lines.isDone) {
    const line = lines.peek()!;
    if (line.trimEnd() === END_OF_FILE) {
      if (body.length === 0) break;
      lines.take();
      isAtEnd = true;
      break;
    }
    if (line.startsWith("@@") || line.startsWith("***")) break;
    if (line === "" && isBetweenHunks(lines)) break;
    if (line.startsWith("\\ ")) {
      lines.take();
      continue;
    }
    const parsed = hunkLine(line);
    if (parsed === undefined) throw lines.fault(`${quote(line)} has no sign. ${SIGNS}`);
    body.push(parsed);
    lines.take();
  }
  if (body.length === 0) throw lines.fault(`the hunk has no lines. ${SIGNS}`);
  return { patchLine, ...header, lines: body, isAtEnd };
}
