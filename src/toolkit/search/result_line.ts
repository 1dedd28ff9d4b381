import { trimSurrogates, truncate } from "../../base/text/truncate.ts";

/** The longest line that is shown, in UTF-16 units. */
export const MAX_LINE_LENGTH = 500;

/** The most of it before the first match. */
const MAX_BEFORE = 200;

/** The most bytes of that many UTF-16 units: three bytes each. */
export const ENOUGH_BYTES = MAX_LINE_LENGTH * 3;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A part of a line that ripgrep prints. */
export interface LinePart {
  /** The bytes of the part, without the line's end. */
  bytes: Uint8Array;
  /** The number of the line's bytes before the part. */
  start: number;
  /** The number of all bytes of the line. */
  size: number;
  /** The number of the line's bytes before its first match; 0 for a line of context. */
  match: number;
}

/**
 * A line of output, `path:12:text`, or with `-` for context, and whether it was truncated. A long
 * line becomes 500 characters around its first match. `part` is the beginning of the line, or has the
 * match and enough bytes around it.
 */
export function resultLine(
  { path, number, kind, part }: {
    path: string;
    number: number | undefined;
    kind: "match" | "context";
    part: LinePart;
  },
): { text: string; isCut: boolean } {
  const mark = kind === "match" ? ":" : "-";
  const place = `${path}${mark}${number === undefined ? "" : `${number}${mark}`}`;
  const { bytes, start, size } = part;
  // A damaged line may have its match at another place than ripgrep says.
  const match = part.match < size ? part.match : 0;
  const head = start === 0 ? decoder.decode(bytes.subarray(0, ENOUGH_BYTES)) : "";
  const isCut = size > ENOUGH_BYTES || head.length > MAX_LINE_LENGTH;
  if (!isCut) return { text: place + head, isCut };
  const shown = start === 0 && match <= MAX_BEFORE
    ? truncate(head, MAX_LINE_LENGTH)
    : aroundMatch({ ...part, match });
  return { text: `${place}${shown} [\u2026 cut: a line of ${size} bytes]`, isCut };
}

/** The text around the first match; `\u2026` is the part of the line before it. */
function aroundMatch({ bytes, start, match }: LinePart): string {
  const at = match - start;
  let from = Math.max(0, at - ENOUGH_BYTES);
  // The first character may be cut: its further bytes in UTF-8 are left out.
  while (from < at && (bytes[from]! & 0xc0) === 0x80) from++;
  const before = decoder.decode(bytes.subarray(from, at));
  const after = decoder.decode(bytes.subarray(at, at + ENOUGH_BYTES));
  const most = Math.max(MAX_BEFORE, MAX_LINE_LENGTH - after.length);
  const kept = trimSurrogates(before.slice(-most));
  const isWhole = start + from === 0 && kept === before;
  return (isWhole ? "" : "\u2026") + kept + truncate(after, MAX_LINE_LENGTH - kept.length);
}
