/** The one gate to a terminal: texts of models, files and servers cannot control it. */

import { visibleLines } from "../text/escape_controls.ts";

/** Select Graphic Rendition, as terminals know it. */
const CODES = { strong: 1, faint: 2, red: 31, green: 32, yellow: 33, cyan: 36 };

/** The look of a part of a text on a terminal with colors. */
export type Style = keyof typeof CODES;

/** A text with the codes of a style. */
export function inStyle(text: string, style: Style): string {
  return `\x1b[${CODES[style]}m${text}\x1b[0m`;
}

/** The codes of {@link inStyle}. */
// deno-lint-ignore no-control-regex
const STYLED = /(\x1b\[(?:[0-2]|3[1236])m)/;

/** Makes a text safe for a terminal: control characters are shown as escapes, apart from our styles. */
export function terminalText(text: string): string {
  return text.split(STYLED).map((part, at) => at % 2 === 1 ? part : visibleLines(part)).join("");
}
