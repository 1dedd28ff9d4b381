/** Chooses between the places that a hunk could have. */

import { plural } from "../../../base/text/amounts.ts";
import type { FoundLines, LineSearch } from "./line_search.ts";
import type { Hunk } from "./patch.ts";

/** The search for the place of one hunk. */
export interface Search {
  /** The lines of the file. */
  search: LineSearch;
  /** The index of the first line that no hunk has used. */
  cursor: number;
  /** How many lines further down than its number says the last hunk was. */
  shift: number;
  /** Takes what was ignored, or chosen. */
  note(what: string): void;
}

/** The place for lines of which no old line says where they belong. */
export function placeOfAddition(hunk: Hunk, { search: { lines }, cursor, shift }: Search): number {
  if (hunk.oldStart !== undefined) {
    return Math.min(lines.length, Math.max(cursor, hunk.oldStart + shift));
  }
  if (hunk.anchors.length > 0) return cursor;
  // Before an empty last line, so that the file does not get one in its middle.
  return lines.at(-1) === "" ? Math.max(cursor, lines.length - 1) : lines.length;
}

/** The index of the line with which the hunk begins according to its number. */
export function expectedPlace({ oldStart = 1 }: Hunk, shift: number): number {
  return Math.max(0, oldStart - 1 + shift);
}

/** The first of the places, or the nearest to the number of the hunk's first line. */
export function choosePlace(hunk: Hunk, { places }: FoundLines, { shift, note }: Search): number {
  const count = plural(places.length, "place");
  if (hunk.oldStart === undefined) {
    if (places.length > 1) note(`its lines occur in ${count}; the first was used`);
    return places[0]!;
  }
  const expected = expectedPlace(hunk, shift);
  const distance = (place: number) => Math.abs(place - expected);
  const nearest = places.reduce((a, b) => distance(b) < distance(a) ? b : a);
  const offset = nearest - expectedPlace(hunk, 0);
  if (nearest !== expected && offset !== 0) {
    const side = offset > 0 ? "below" : "above";
    const choice = places.length > 1 ? `, the nearest of ${count}` : "";
    note(`it matched ${plural(Math.abs(offset), "line")} ${side} its line number${choice}`);
  }
  return nearest;
}
