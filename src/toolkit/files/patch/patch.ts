/** The parts of a patch, in whichever format it was written. */

/** A line of a hunk: one that stays, one that goes, or a new one. */
export interface HunkLine {
  /** Whether it stays, goes or is new. */
  kind: "keep" | "remove" | "add";
  /** Its text, without the sign in front of it and without its line ending. */
  text: string;
}

/** Neighbouring changes of one file, with the lines around them. */
export interface Hunk {
  /** The number, from 1, of the line of the patch that begins it. */
  patchLine: number;
  /** Lines of the file that come before it, in this order. */
  anchors: readonly string[];
  /** Its lines. */
  lines: readonly HunkLine[];
  /** Whether its last old line is the last of the file. */
  isAtEnd: boolean;
  /** The number, from 1, of its first line in the old file, if the patch has line numbers. */
  oldStart?: number;
  /** Whether the new file ends with a newline, if the patch says so. */
  endsWithNewline?: boolean;
  /** The faults of its header that were ignored. */
  faults?: readonly string[];
}

/** The changes of one file. */
export type FilePatch =
  & {
    /** The path as the patch has it. */
    path: string;
    /** The number, from 1, of the line of the patch that names the file. */
    patchLine: number;
  }
  & (
    | { kind: "add"; content: string }
    | { kind: "delete"; hunks: readonly Hunk[] }
    | { kind: "update"; hunks: readonly Hunk[]; moveTo?: string }
  );

/** A patch of several files. A file may occur more than once: its changes are made in order. */
export interface Patch {
  /** The format that it was written in. */
  format: "V4A" | "unified";
  /** The changes, in order. */
  files: readonly FilePatch[];
  /** Notes on what was ignored to read it. */
  notes: readonly string[];
}

/** The lines of a hunk that the file has now. */
export function oldLines({ lines }: Pick<Hunk, "lines">): string[] {
  return lines.filter(({ kind }) => kind !== "add").map(({ text }) => text);
}
