import { structuredPatch } from "diff";

/** Texts of more characters together are not compared. */
const MAX_COMPARED = 1024 * 1024;

/** A change from one text to another, as the published output types name it. */
export interface PatchHunk {
  /** The first line before, counted from 1. */
  oldStart: number;
  /** How many lines there were. */
  oldLines: number;
  /** The first line afterwards, counted from 1. */
  newStart: number;
  /** How many lines there are. */
  newLines: number;
  /** The lines, each behind a blank, a minus or a plus. */
  lines: string[];
}

/** The hunks that lead from `before` to `after`; none where too much changes for a comparison. */
export function patchHunks(before: string, after: string): PatchHunk[] {
  if (before.length + after.length > MAX_COMPARED) return [];
  const options = { context: 3, maxEditLength: 1000, timeout: 250 };
  const patch = structuredPatch("", "", before, after, "", "", options);
  return (patch?.hunks ?? []).map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    ...{ oldStart, oldLines, newStart, newLines, lines },
  }));
}
