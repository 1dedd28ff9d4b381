/** Finds the place of each hunk of a file. */

import { quote } from "../../../base/text/quote.ts";
import { choosePlace, expectedPlace, placeOfAddition, type Search } from "./choose_place.ts";
import type { FileText } from "./file_text.ts";
import { type FoundLines, LineSearch } from "./line_search.ts";
import { type Hunk, type HunkLine, oldLines } from "./patch.ts";

/** A hunk with the place where it belongs. */
export interface PlacedHunk {
  /** The index of the first line that it replaces. */
  start: number;
  /** Its lines, in the form that the file has. */
  lines: readonly HunkLine[];
}

/** A hunk that has no place in the file. */
export interface LostHunk {
  /** The number of the hunk, from 1. */
  number: number;
  /** The hunk. */
  hunk: Hunk;
  /** The lines that were not found, in the form that the file has. */
  wanted: string[];
  /** Why it has no place. */
  why: string;
}

/** The places of all hunks, or the first hunk without one, and notes on what was ignored. */
export interface Placing {
  /** The hunks in the order of the file. */
  placed: PlacedHunk[];
  /** The first hunk without a place. */
  lost?: LostHunk;
  /** Each relaxation, and each choice between equal places. */
  notes: string[];
}

/**
 * Finds the places of hunks, each below the one before. Lines are compared exactly first, then
 * without whitespace at their ends, then without any around them, and then with the punctuation of
 * ASCII.
 */
export function placeHunks(text: FileText, hunks: readonly Hunk[]): Placing {
  const search = new LineSearch(text.lines);
  const placed: PlacedHunk[] = [];
  const notes: string[] = [];
  let cursor = 0;
  let shift = 0;
  for (const [index, given] of hunks.entries()) {
    const own = (line: HunkLine) => ({ ...line, text: text.own(line.text) });
    const hunk = { ...given, lines: given.lines.map(own), anchors: given.anchors.map(text.own) };
    const note = (what: string) => void notes.push(`hunk ${index + 1}: ${what}`);
    for (const fault of hunk.faults ?? []) note(fault);
    const found = placeHunk(hunk, { search, cursor, shift, note });
    if ("why" in found) {
      return { placed, notes, lost: { ...found, number: index + 1, hunk: given } };
    }
    placed.push({ start: found.start, lines: found.lines });
    cursor = found.cursor;
    const { length } = oldLines(found);
    // An addition says nothing about the lines around it.
    if (length === 0) continue;
    cursor = found.start + length;
    if (hunk.oldStart !== undefined) shift = found.start - expectedPlace(hunk, 0);
  }
  // Lines that a hunk only adds may come after the places of later hunks.
  placed.sort((a, b) => a.start - b.start);
  return { placed, notes };
}

type Found = PlacedHunk & { cursor: number };

function placeHunk(hunk: Hunk, options: Search): Found | Pick<LostHunk, "wanted" | "why"> {
  const { search, note } = options;
  const anchored = followAnchors(hunk.anchors, options);
  const { cursor, missing } = anchored;
  const wanted = oldLines(hunk);
  if (wanted.length === 0) {
    if (missing !== undefined) return lostAnchor(missing);
    return { start: placeOfAddition(hunk, { ...options, cursor }), lines: hunk.lines, cursor };
  }
  const [lines, found] = findHunk(hunk, { ...options, cursor });
  if (found === undefined) {
    if (missing !== undefined) return lostAnchor(missing);
    return { wanted, why: whyLost(hunk, options, cursor) };
  }
  if (missing !== undefined) {
    const all = search.find(oldLines({ lines }), { from: 0 });
    if (found.ignored !== undefined || all?.places.length !== 1) return lostAnchor(missing);
    note(`"@@ ${missing}" was not found and was ignored, because the lines occur only once`);
  }
  const start = choosePlace(hunk, found, options);
  const { length } = oldLines({ lines });
  const where = length === 1 ? `line ${start + 1}` : `lines ${start + 1} to ${start + length}`;
  if (found.ignored !== undefined) note(`${where} matched after ignoring ${found.ignored}`);
  if (hunk.isAtEnd && start + length !== search.lines.length) {
    note(`${where} matched, which are not the end of the file`);
  }
  return { start, lines, cursor };
}

function lostAnchor(anchor: string): Pick<LostHunk, "wanted" | "why"> {
  return { wanted: [anchor], why: `the line of ${quote(`@@ ${anchor}`)} was not found` };
}

/** Goes to the line after the last anchor. An anchor that is not found ends the way. */
function followAnchors(
  anchors: readonly string[],
  { search, cursor: first, note }: Search,
): { cursor: number; missing?: string } {
  let cursor = first;
  for (const anchor of anchors) {
    const found = search.find([anchor], { from: cursor });
    if (found === undefined) return { cursor, missing: anchor };
    cursor = found.places[0]! + 1;
    if (found.ignored !== undefined) {
      note(`"@@ ${anchor}" matched line ${cursor} after ignoring ${found.ignored}`);
    }
  }
  return { cursor };
}

/** Finds the old lines, also without a blank line at the end that the file does not have. */
function findHunk(hunk: Hunk, options: Search): [readonly HunkLine[], FoundLines | undefined] {
  const { search, cursor, note } = options;
  const find = (lines: readonly HunkLine[]) => {
    const wanted = oldLines({ lines });
    const last = search.lines.length - wanted.length;
    const atEnd = hunk.isAtEnd
      ? search.find(wanted, { from: cursor, accept: (place) => place === last })
      : undefined;
    return atEnd ?? search.find(wanted, { from: cursor });
  };
  const found = find(hunk.lines);
  const shorter = found === undefined ? withoutFinalBlank(hunk.lines) : undefined;
  if (shorter === undefined) return [hunk.lines, found];
  const again = find(shorter);
  if (again !== undefined) note("a blank line at its end was ignored");
  return [shorter, again];
}

/** The lines without a last old line that is empty, and without the new one in its place. */
function withoutFinalBlank(lines: readonly HunkLine[]): HunkLine[] | undefined {
  const last = lines.findLastIndex(({ kind }) => kind !== "add");
  const line = lines[last];
  if (line?.text !== "" || oldLines({ lines }).length === 1) return undefined;
  const rest = lines.toSpliced(last, 1);
  const isReplaced = line.kind === "remove" && rest.at(-1)?.kind === "add" &&
    rest.at(-1)?.text === "";
  return isReplaced ? rest.slice(0, -1) : rest;
}

function whyLost(hunk: Hunk, { search, cursor: first }: Search, cursor: number): string {
  const above = search.find(oldLines(hunk), { from: 0 });
  if (above === undefined) return "its lines were not found";
  const at = `its lines are at line ${above.places[0]! + 1}`;
  return cursor > first
    ? `${at}, above the line of "@@ ${hunk.anchors.at(-1)}"`
    : `${at}, above the place of the hunk before; hunks must be in the order of the file`;
}
