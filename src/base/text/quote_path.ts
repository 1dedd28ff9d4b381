import { quote } from "./quote.ts";

const LONGEST = 4096;

/**
 * A path as it stands in a message: whole, in double quotes and JSON-style,
 * with control characters, unusual blanks and invisible characters as `\uXXXX`,
 * so that it can neither steer a terminal nor look like another path.
 */
export function quotePath(path: string): string {
  return quote(path, LONGEST).replace(
    /[\xa0\xad\u061c\u1680\u180e\u2000-\u200d\u202f\u205f-\u2065\u3000\ufeff]/g,
    (character) => "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0"),
  );
}
