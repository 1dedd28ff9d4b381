import { findSequence } from "./find_sequence.ts";

const NEWLINE = 10;
const RETURN = 13;
/** The number of places that a diff shows. A plan keeps one more: there the diff ends. */
export const MAX_SHOWN_PLACES = 40;

/** The places of a text in a file, and the text that replaces it. */
export interface EditPlan {
  /** The text to replace. */
  readonly needle: Uint8Array;
  /** The text that replaces it. */
  readonly replacement: Uint8Array;
  /** The number of occurrences; overlapping ones count when only one is allowed. */
  readonly count: number;
  /** The offsets of the first occurrences, in bytes. */
  readonly places: readonly number[];
  /** A note for the caller on how the texts were changed before the edit. */
  readonly note?: string;
}

/**
 * Looks for `oldText` in the bytes of a file, exactly and without decoding them. So bytes that are
 * not valid UTF-8 stay as they are. If all lines of the file end alike, in CRLF or in LF, both
 * texts get these line ends too.
 */
export function planEdit(
  bytes: Uint8Array,
  options: { oldText: string; newText: string; all: boolean },
): EditPlan {
  const ends = lineEnds(bytes);
  const encode = (text: string) => new TextEncoder().encode(withLineEnds(text, ends));
  const needle = encode(options.oldText);
  const places: number[] = [];
  let count = 0;
  findSequence(bytes, {
    needle,
    overlapping: !options.all,
    found: (at) => {
      if (count++ <= MAX_SHOWN_PLACES) places.push(at);
    },
  });
  const plan = { needle, replacement: encode(options.newText), count, places };
  return { ...plan, ...lineEndNote(options.newText, ends) };
}

/** The size in bytes of the file after the edit. */
export function editedSize(bytes: Uint8Array, plan: EditPlan): number {
  return bytes.length + plan.count * (plan.replacement.length - plan.needle.length);
}

/** The bytes of the file after the edit. */
export function applyEdit(bytes: Uint8Array, plan: EditPlan): Uint8Array<ArrayBuffer> {
  const { needle, replacement, count, places } = plan;
  const edited = new Uint8Array(editedSize(bytes, plan));
  let from = 0;
  let to = 0;
  const found = (at: number) => {
    edited.set(bytes.subarray(from, at), to);
    to += at - from;
    edited.set(replacement, to);
    to += replacement.length;
    from = at + needle.length;
  };
  if (count === places.length) places.forEach(found);
  else findSequence(bytes, { needle, overlapping: false, found });
  edited.set(bytes.subarray(from), to);
  return edited;
}

/** The numbers, from 1, of the lines that contain the given places. */
export function linesOf(bytes: Uint8Array, places: readonly number[]): number[] {
  let line = 1;
  let at = 0;
  return places.map((place) => {
    for (;;) {
      const newline = bytes.indexOf(NEWLINE, at);
      if (newline < 0 || newline >= place) return line;
      at = newline + 1;
      line++;
    }
  });
}

/** The line ends of a file; `undefined` when they are mixed, or there is only one line. */
export function lineEnds(bytes: Uint8Array): "LF" | "CRLF" | undefined {
  const first = bytes.indexOf(NEWLINE);
  if (first < 0) return undefined;
  const isCrlf = bytes[first - 1] === RETURN;
  for (let at = first; at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
    if ((bytes[at - 1] === RETURN) !== isCrlf) return undefined;
  }
  return isCrlf ? "CRLF" : "LF";
}

/** The text with these line ends; unchanged for `undefined`. */
export function withLineEnds(text: string, ends: "LF" | "CRLF" | undefined): string {
  if (ends === undefined) return text;
  return text.replace(/\r?\n/g, ends === "CRLF" ? "\r\n" : "\n");
}

/** A note for a caller who gave CRLF when the file has LF only. */
export function lineEndNote(text: string, ends: "LF" | "CRLF" | undefined): { note?: string } {
  if (ends !== "LF" || !text.includes("\r\n")) return {};
  return { note: "The file has LF line endings, so CRLF in new_string was written as LF" };
}
