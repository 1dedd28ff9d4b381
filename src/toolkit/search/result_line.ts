import { truncate } from "../../base/text/truncate.ts";

/** The longest line that is shown, in UTF-16 units. */
export const MAX_LINE_LENGTH = 500;

/** The most bytes of that many UTF-16 units: three bytes each. */
const ENOUGH_BYTES = MAX_LINE_LENGTH * 3;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A line of a file that a search has found. */
export interface FoundLine {
  /** The file's path in the output. */
  path: string;
  /** Its number, if numbers are shown. */
  number: number | undefined;
  /** The kind of line. */
  kind: "match" | "context";
  /** Its beginning, without the line end. */
  bytes: Uint8Array;
  /** Its whole size, in bytes. */
  size: number;
}

/** A line of output, `path:12:text`, or with `-` for context, and whether it was truncated. */
export function resultLine(line: FoundLine): { text: string; isCut: boolean } {
  const mark = line.kind === "match" ? ":" : "-";
  const number = line.number === undefined ? "" : `${line.number}${mark}`;
  const { text, isCut } = shown(line);
  return { text: `${line.path}${mark}${number}${text}`, isCut };
}

function shown(line: FoundLine): { text: string; isCut: boolean } {
  const text = decoder.decode(line.bytes.subarray(0, ENOUGH_BYTES));
  if (line.size <= ENOUGH_BYTES && text.length <= MAX_LINE_LENGTH) return { text, isCut: false };
  const kept = truncate(text, MAX_LINE_LENGTH);
  return { text: `${kept} [… cut: a line of ${line.size} bytes]`, isCut: true };
}
