import { encodingConflict } from "./encoding_conflict.ts";

/** The most bytes of a file that are searched for what the caller may have meant. */
export const MAX_SEARCHED = 8 * 1024 * 1024;
/** The beginnings of lines that tools and programs show with their numbers. */
const LINE_NUMBERS = /^ *\d+(?:\t|\u2192| ?\| ?|[:-])/gm;

/**
 * The mistake of the caller that explains why a file does not have `oldText`, as the continuation of
 * a sentence, or `""` if none explains it. `noun` names the text.
 */
export function mistakeHint(
  bytes: Uint8Array<ArrayBuffer>,
  { oldText, newText, noun }: { oldText: string; newText: string; noun: string },
): string {
  const conflict = encodingConflict(bytes, { text: oldText, noun });
  if (conflict !== undefined) return `: ${conflict}`;
  const text = new TextDecoder().decode(bytes.subarray(0, MAX_SEARCHED));
  const mistake = copyMistake(text, oldText) ?? alreadyDone(text, newText);
  return mistake === undefined ? "" : `; ${mistake}`;
}

/** A hint for a text that is not in a file, if the caller copied it from a result. */
function copyMistake(text: string, oldText: string): string | undefined {
  const unnumbered = oldText.replace(LINE_NUMBERS, "");
  if (unnumbered.trim() !== "" && unnumbered !== oldText && text.includes(unnumbered)) {
    return "its lines start with line numbers that a result shows: omit them and the sign after them";
  }
  const unescaped = oldText.replace(
    /\\(["'`nt\\])/g,
    (_, key: string) => key === "n" ? "\n" : key === "t" ? "\t" : key,
  );
  if (unescaped !== oldText && text.includes(unescaped)) {
    return "it has escape sequences where the file has the characters themselves";
  }
  return undefined;
}

/** A hint for a repeated edit, which finds its own result. */
function alreadyDone(text: string, newText: string): string | undefined {
  const at = newText.trim().length < 3 ? -1 : text.indexOf(newText);
  if (at < 0) return undefined;
  return `the new text is already in the file, at line ${text.slice(0, at).split("\n").length}`;
}
