/**
 * Characters that a terminal would obey or hide: control characters, changes of the writing
 * direction, line separators of Unicode, and tag characters.
 */
const UNSEEN =
  // deno-lint-ignore no-control-regex
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/**
 * Makes any string safe for a terminal. Line ends stay, a tab becomes four spaces, and invisible
 * characters become escapes such as `\u001b`.
 */
export function escapeControls(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll("\t", "    ").replace(UNSEEN, (character) => {
    const code = character.codePointAt(0)!.toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
  });
}

/** As {@link escapeControls}, but tabs stay. */
export function visibleLines(text: string): string {
  return text.split("\t").map(escapeControls).join("\t");
}
