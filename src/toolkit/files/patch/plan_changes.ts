/** Works out what a patch makes of its files, without changing any. */

import { byteSize } from "../../../base/text/amounts.ts";
import { cannot } from "../../../base/fs/system_error.ts";
import type { FileOwnership } from "../../../base/fs/atomic_write.ts";
import { refuseOtherForm } from "../../../base/fs/other_form.ts";
import { MAX_CHANGED_BYTES } from "../../../base/fs/change_set.ts";
import { encodingConflict, refuseConflict } from "../edit/encoding_conflict.ts";
import { nearestReport } from "../edit/no_match_error.ts";
import type { CallFile } from "../call_file.ts";
import { missingError } from "../missing_error.ts";
import { applyHunks } from "./apply_hunks.ts";
import { fileText } from "./file_text.ts";
import { type FilePatch, type Hunk, oldLines, type Patch } from "./patch.ts";
import type { LostHunk } from "./place_hunks.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** A file that a patch names. */
export interface PatchedFile {
  /** The file. */
  target: CallFile;
  /** Its bytes on the disk; `null` for a missing file. */
  readonly before: Bytes | null;
  /** Its bytes after the parts of the patch so far. */
  now: Bytes | null;
  /** Its mode and owner. */
  like?: FileOwnership;
}

/** The effect of a part of a patch. */
export interface PatchStep {
  /** A new file, a file in place of another, a changed, a moved or a removed one. */
  kind: "add" | "overwrite" | "update" | "move" | "delete";
  /** The path as the patch has it. */
  path: string;
  /** The path that it was moved to. */
  moveTo?: string;
  /** Whether a file was replaced there. */
  replaces?: boolean;
  /** The number of hunks. */
  hunks: number;
  /** Notes on what was ignored to find the places. */
  notes: string[];
}

/**
 * Makes each part of the patch on the bytes in `files`, which have the files by the paths of the
 * patch. Throws one error for all parts that do not apply.
 */
export function planChanges(
  { files: parts, format }: Patch,
  files: ReadonlyMap<string, PatchedFile>,
): PatchStep[] {
  const steps: PatchStep[] = [];
  const faults: Error[] = [];
  for (const part of parts) {
    try {
      steps.push(planPart(part, { file: files.get(part.path)!, files, format }));
    } catch (error) {
      faults.push(error as Error);
    }
  }
  if (faults.length === 0) return steps;
  const shown = faults.slice(0, MAX_FAULTS).map(({ message }) => message);
  if (faults.length > shown.length) shown.push(`[${faults.length - shown.length} more]`);
  const message = `${shown.join("\n")}\nNo file was changed`;
  throw new Error(message, { cause: { faults: faults.map(({ cause }) => cause ?? {}) } });
}

const MAX_FAULTS = 5;

function planPart(
  part: FilePatch,
  { file, files, format }: {
    file: PatchedFile;
    files: ReadonlyMap<string, PatchedFile>;
    format: Patch["format"];
  },
): PatchStep {
  const { kind, path } = part;
  if (kind === "add") {
    const isNew = file.now === null;
    if (!isNew && format === "unified") {
      throw new Error(`${cannot(file.target)}: the patch makes a new file, and this one exists`);
    }
    if (isNew) refuseOtherForm(file.target);
    file.now = new TextEncoder().encode(part.content);
    return { kind: isNew ? "add" : "overwrite", path, hunks: 0, notes: [] };
  }
  if (file.now === null) throw missingError(file.target);
  const hunks = part.hunks.length;
  const { bytes, notes } = changedBytes(file, { hunks: part.hunks, format });
  if (kind === "delete") {
    if (hunks > 0 && bytes.length > 0) {
      const why = "the patch removes the file, but the file has more lines than the patch";
      throw new Error(`${cannot(file.target)}: ${why}`);
    }
    file.now = null;
    return { kind, path, hunks: 0, notes };
  }
  const to = part.moveTo === undefined ? file : files.get(part.moveTo)!;
  if (to === file) {
    file.now = bytes;
    return { kind, path, hunks, notes };
  }
  const replaces = to.now !== null;
  if (!replaces) refuseOtherForm(to.target);
  if (replaces && format === "unified") {
    throw new Error(`${cannot(to.target)}: the patch moves a file there, and this one exists`);
  }
  [to.now, file.now] = [bytes, null];
  if (file.like !== undefined) to.like = file.like;
  return { kind: "move", path, moveTo: part.moveTo!, replaces, hunks, notes };
}

function changedBytes(
  { target, now }: PatchedFile,
  { hunks, format }: { hunks: readonly Hunk[]; format: Patch["format"] },
): { bytes: Bytes; notes: string[] } {
  const before = now!;
  if (hunks.length === 0) return { bytes: before, notes: [] };
  let text;
  try {
    text = fileText(before);
  } catch (error) {
    throw new Error(`${cannot(target)}: ${(error as Error).message}`);
  }
  const { text: changed, lost, notes } = applyHunks(text, { hunks, format });
  if (lost !== undefined) {
    const wanted = [...lost.hunk.anchors, ...oldLines(lost.hunk)].join("\n");
    const conflict = encodingConflict(before, { text: wanted, noun: "the patch" });
    const why = conflict === undefined ? lost.why : `${lost.why}: ${conflict}`;
    throw lostHunk({ ...lost, why }, target, text.encode(text.lines.join("\n")));
  }
  const added = hunks.flatMap(({ lines }) => lines.filter(({ kind }) => kind === "add"));
  const newText = added.map(({ text }) => text).join("\n");
  refuseConflict(before, { text: newText, noun: "the patch", target });
  const bytes = text.encode(changed);
  if (bytes.length <= MAX_CHANGED_BYTES) return { bytes, notes };
  const size = byteSize(bytes.length);
  throw new Error(
    `${cannot(target)}: it would have ${size}; a patch takes files of up to ${
      byteSize(MAX_CHANGED_BYTES)
    }`,
  );
}

/** The error for a hunk without a place, with the most similar lines of the file. */
function lostHunk(
  { number, hunk: { patchLine }, wanted, why }: LostHunk,
  target: CallFile,
  bytes: Bytes,
): Error {
  const { report, nearest } = nearestReport(bytes, {
    oldText: wanted.join("\n"),
    noun: "the patch",
  });
  const start = `${cannot(target)}: hunk ${number} (line ${patchLine} of the patch): ${why}`;
  const cause = { path: target.given, hunk: number, patchLine, ...(nearest && { nearest }) };
  return new Error(`${start}; ${report}`, { cause });
}
