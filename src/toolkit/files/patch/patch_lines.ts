/** The lines of a patch, and the errors for those that cannot be read. */

import { lookupTable } from "../../../base/lookup_table.ts";
import { NamedError } from "../../../base/errors.ts";
import type { HunkLine } from "./patch.ts";

/** The largest number of hunks and files of a patch: its time grows with them. */
const MAX_PATCH_PARTS = 5_000;

/** The error for a text that is no patch. Its message has the number of the line. */
export class PatchSyntaxError extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "PatchSyntaxError";

  /** Takes the reason, and the number, from 1, of the line of the patch. */
  constructor(why: string, patchLine?: number) {
    super(`Cannot read the patch: ${patchLine === undefined ? "" : `line ${patchLine}: `}${why}`);
  }
}

/** The rule for the lines of a hunk, for messages. */
export const SIGNS = `Each line of a hunk starts with " " (kept), "-" (removed) or "+" (added)`;

const KINDS = lookupTable<HunkLine["kind"]>({
  " ": "keep",
  "-": "remove",
  "+": "add",
});

/** A line of a hunk; an empty one is an empty line that stays. `undefined` for one without a sign. */
export function hunkLine(line: string): HunkLine | undefined {
  if (line === "") return { kind: "keep", text: "" };
  const kind = KINDS[line[0]!];
  return kind && { kind, text: line.slice(1) };
}

/** Reads the lines of a patch, one after the other. */
export class PatchLines {
  #at = 0;
  #parts = 0;

  /** Takes the lines, and the number, from 1, that the first of them has for the caller. */
  constructor(readonly lines: readonly string[], readonly first = 1) {}

  /** The lines of a text, without their line endings and without an empty last one. */
  static of(text: string): PatchLines {
    const lines = text.split("\n").map((line) => line.endsWith("\r") ? line.slice(0, -1) : line);
    if (lines.at(-1) === "") lines.pop();
    return new PatchLines(lines);
  }

  /** The next line, or the one after so many more; `undefined` after the last one. */
  peek(ahead = 0): string | undefined {
    return this.lines[this.#at + ahead];
  }

  /** The next line, which is then behind. */
  take(): string {
    return this.lines[this.#at++] ?? "";
  }

  /** Whether all lines are behind. */
  get isDone(): boolean {
    return this.#at >= this.lines.length;
  }

  /** The number of the next line. */
  get number(): number {
    return this.first + this.#at;
  }

  /** Counts a part of the patch. Throws when it has too many. */
  countPart(): void {
    if (++this.#parts <= MAX_PATCH_PARTS) return;
    throw this.fault(`it has more than ${MAX_PATCH_PARTS} files and hunks; divide the patch`);
  }

  /** The error for the next line. */
  fault(why: string): PatchSyntaxError {
    return new PatchSyntaxError(why, this.number);
  }
}
