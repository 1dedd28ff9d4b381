import { structuredPatch, type StructuredPatchHunk } from "diff";
import { plural } from "../../../base/text/amounts.ts";
import { type EditPlan, linesOf, MAX_SHOWN_PLACES } from "./edit_plan.ts";
import { decodeUtf8Lossy } from "../../../base/text/utf8.ts";
import { quotePath } from "../../../base/text/quote.ts";
import type { FileTarget } from "../../../base/fs/system_error.ts";
import type { Edited } from "./edit_file.ts";
import { shortenLines } from "./shorten_lines.ts";

const NEWLINE = 10;
const CONTEXT = 3;
const NO_NEWLINE = "\\ No newline at end of file";
const MAX_REGION = 512 * 1024;
const MAX_LINES = 200;
const MAX_CHARACTERS = 16_000;
/** The most lines of a text that is too long to compare, and is shown as a change of its lines. */
const MAX_LONG_LINES = 40;

/** Some lines of the file around one or more places of an edit. */
interface Region {
  start: number;
  end: number;
  places: number[];
}

/** The result of an edit, which counts its changes as `noun` says, with {@link editDiff}. */
export function editResult(
  { given }: FileTarget,
  { edited, noun }: { edited: Edited; noun: string },
): string {
  const { before, plan } = edited;
  return `Edited ${quotePath(given)}: ${plural(plan.count, noun)}\n${editDiff(before, plan)}`;
}

/**
 * The change of an edit as a unified diff without file names, with three lines of context. It is
 * bounded in size and in time: it looks only at the lines around the places of the plan, and says
 * what it leaves out.
 */
export function editDiff(bytes: Uint8Array, plan: EditPlan): string {
  // The plan lists the first MAX_SHOWN_PLACES matches and one more: stop the diff before that one.
  const next = plan.places[MAX_SHOWN_PLACES];
  const limit = next === undefined ? bytes.length : lineStart(bytes, { at: next, lines: 0 });
  const places = plan.places.filter((place) => place + plan.needle.length <= limit);
  const regions = regionsOf(bytes, { places, needle: plan.needle, limit });
  const starts = linesOf(bytes, regions.map((region) => region.start));
  const lines: string[] = [];
  let shift = 0;
  let characters = 0;
  for (const [index, region] of regions.entries()) {
    const { oldText, newText } = textsOf(bytes, { region, plan });
    const first = { old: starts[index]!, new: starts[index]! + shift };
    for (const line of hunkLines({ oldText, newText, first })) {
      characters += line.length + 1;
      if (lines.length >= MAX_LINES || characters > MAX_CHARACTERS) {
        return [...lines, "[The diff is truncated; use Read to see the rest of the file]"].join(
          "\n",
        );
      }
      lines.push(line);
    }
    shift += newlines(newText) - newlines(oldText);
  }
  const unseen = plan.count - places.length;
  if (unseen > 0) lines.push(`[${plural(unseen, "more replacement")} not shown]`);
  if (plan.note !== undefined) lines.push(`[${plan.note}]`);
  return lines.join("\n");
}

/** Places share a region when their context lines touch. */
function regionsOf(
  bytes: Uint8Array,
  { places, needle, limit }: { places: readonly number[]; needle: Uint8Array; limit: number },
): Region[] {
  const regions: Region[] = [];
  for (const place of places) {
    const start = lineStart(bytes, { at: place, lines: CONTEXT });
    const end = Math.min(limit, lineEnd(bytes, { at: place + needle.length, lines: CONTEXT }));
    const previous = regions.at(-1);
    if (previous && start <= previous.end) {
      previous.end = Math.max(end, previous.end);
      previous.places.push(place);
    } else regions.push({ start, end, places: [place] });
  }
  return regions;
}

/** The start of the line that contains `at`, or of the line `lines` above it. */
function lineStart(bytes: Uint8Array, { at, lines }: { at: number; lines: number }): number {
  let start = at;
  for (let line = 0; line <= lines && start > 0; line++) {
    start = bytes.lastIndexOf(NEWLINE, line === 0 ? start - 1 : start - 2) + 1;
    if (start === 0) break;
  }
  return start;
}

/** The end, after the newline, of the line that contains `at`, or of the line `lines` below it. */
function lineEnd(bytes: Uint8Array, { at, lines }: { at: number; lines: number }): number {
  let end = at;
  for (let line = 0; line <= lines && end < bytes.length; line++) {
    const newline = bytes.indexOf(NEWLINE, end);
    if (newline < 0) return bytes.length;
    end = newline + 1;
  }
  return end;
}

function textsOf(
  bytes: Uint8Array,
  { region, plan }: { region: Region; plan: EditPlan },
): { oldText: string; newText: string } {
  const decode = (from: number, to: number) => decodeUtf8Lossy(bytes.subarray(from, to));
  const replacement = decodeUtf8Lossy(plan.replacement);
  let newText = "";
  let from = region.start;
  for (const place of region.places) {
    newText += decode(from, place) + replacement;
    from = place + plan.needle.length;
  }
  return { oldText: decode(region.start, region.end), newText: newText + decode(from, region.end) };
}

function hunkLines(
  change: { oldText: string; newText: string; first: { old: number; new: number } },
): string[] {
  const { oldText, newText, first } = change;
  const isShort = oldText.length + newText.length <= MAX_REGION;
  const hunks = (isShort ? patchHunks(oldText, newText) : undefined) ?? longHunk(oldText, newText);
  if (!hunks) {
    return [
      `[At line ${first.old} too much changes for a diff: ` +
      `${plural(linesIn(oldText), "line")} become ${plural(linesIn(newText), "line")}]`,
    ];
  }
  return hunks.flatMap((hunk) => [
    `@@ -${range(hunk.oldStart + first.old - 1, hunk.oldLines)} ` +
    `+${range(hunk.newStart + first.new - 1, hunk.newLines)} @@`,
    ...shortenLines(hunk.lines),
  ]);
}

/** The hunks that turn a text into another; `undefined` when the texts are too different. */
export function patchHunks(before: string, after: string): StructuredPatchHunk[] | undefined {
  const options = { context: CONTEXT, maxEditLength: 1000, timeout: 250 };
  return structuredPatch("", "", before, after, "", "", options)?.hunks;
}

/** One hunk, which replaces all lines that differ; `undefined` for many lines. */
function longHunk(
  before: string,
  after: string,
): StructuredPatchHunk[] | undefined {
  if (linesIn(before) + linesIn(after) > MAX_LONG_LINES) return undefined;
  const [old, now] = [wholeLines(before), wholeLines(after)];
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start++;
  let end = 0;
  while (end < most - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const signed = (sign: string, lines: readonly string[]) =>
    lines.flatMap((line) =>
      line.endsWith("\n") ? [sign + line.slice(0, -1)] : [sign + line, NO_NEWLINE]
    );
  const lines = [
    ...signed(" ", old.slice(0, start)),
    ...signed("-", old.slice(start, old.length - end)),
    ...signed("+", now.slice(start, now.length - end)),
    ...signed(" ", old.slice(old.length - end)),
  ];
  return [{ oldStart: 1, oldLines: old.length, newStart: 1, newLines: now.length, lines }];
}

/** For an empty range a unified diff gives the line before it. */
function range(start: number, lines: number): string {
  return `${lines === 0 ? start - 1 : start},${lines}`;
}

/** The lines with their newlines. */
function wholeLines(text: string): string[] {
  return text.split(/(?<=\n)/).filter((line) => line !== "");
}

function linesIn(text: string): number {
  return newlines(text) + (text === "" || text.endsWith("\n") ? 0 : 1);
}

function newlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
