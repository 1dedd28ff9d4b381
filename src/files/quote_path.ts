/**
 * A path as it stands in a message: in double quotes, JSON-style, with control
 * characters, unusual blanks and invisible characters as `\uXXXX`, so that it
 * can neither steer a terminal nor look like another path.
 */
export function quotePath(path: string): string {
  return JSON.stringify(path).replace(
    /[\x7f-\xa0\xad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]/g,
    (character) => "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0"),
  );
}
