import { truncate } from "../../base/text/truncate.ts";

/** The longest line that is shown, in UTF-16 units. */
export const MAX_LINE_LENGTH = 500;

/** The most bytes of that many UTF-16 units: three bytes each. */
const ENOUGH_BYTES = MAX_LINE_LENGTH * 3;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * A line of output, `path:12:text`, or with `-` for context, and whether it was truncated. `bytes` is
 * the beginning of the line, without its end, and `size` the number of all its bytes.
 */
export function resultLine(
  { path, number, kind, bytes, size }: {
    path: string;
    number: number | undefined;
    kind: "match" | "context";
    bytes: Uint8Array;
    size: number;
  },
): { text: string; isCut: boolean } {
  const mark = kind === "match" ? ":" : "-";
  const place = `${path}${mark}${number === undefined ? "" : `${number}${mark}`}`;
  const text = decoder.decode(bytes.subarray(0, ENOUGH_BYTES));
  if (size <= ENOUGH_BYTES && text.length <= MAX_LINE_LENGTH) {
    return { text: `${place}${text}`, isCut: false };
  }
  const kept = truncate(text, MAX_LINE_LENGTH);
  return { text: `${place}${kept} [… cut: a line of ${size} bytes]`, isCut: true };
}
