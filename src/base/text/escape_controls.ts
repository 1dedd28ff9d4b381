/**
 * What a terminal would act on or hide rather than show: control characters, what turns
 * the direction of writing, line separators of Unicode, and tag characters.
 */
const UNSEEN =
  // deno-lint-ignore no-control-regex
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/**
 * A text of anyone's that is safe to write to a terminal: line ends stay, a tab is four
 * spaces, and what would not be seen is written as an escape such as `\u001b`.
 */
export function escapeControls(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll("\t", "    ").replace(UNSEEN, (character) => {
    const code = character.codePointAt(0)!.toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
  });
}

/** The same with its tabs, for a text in which they mean something. */
export function visibleLines(text: string): string {
  return text.split("\t").map(escapeControls).join("\t");
}
