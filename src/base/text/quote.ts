/**
 * A string in double quotes for a message, with control characters escaped as in
 * JSON, and cut after `limit` characters.
 */
export function quote(text: string, limit = 200): string {
  const cut = text.length > limit ? `${text.slice(0, limit)}…` : text;
  // JSON leaves DEL, the C1 controls and the bidirectional overrides as they are.
  return JSON.stringify(cut).replace(
    /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const MAX_PATH = 4096;

/**
 * A whole path in double quotes for a message. Control characters, unusual blanks and invisible
 * characters are written as `\uXXXX`, and so are marks that could be part of the letter before them.
 * So a path can neither control a terminal nor look like another path.
 */
export function quotePath(path: string): string {
  const quoted = quote(path, MAX_PATH).replace(
    /[\xa0\xad\u061c\u1680\u180e\u2000-\u200d\u202f\u205f-\u2065\u3000\ufeff]/g,
    escaped,
  );
  return quoted.normalize("NFC") === quoted
    ? quoted
    : quoted.replace(/.[\p{M}\u1161-\u11c2]+/gu, (text) =>
      text.normalize("NFC") === text ? text : text[0] + text.slice(1).replace(/[^]/g, escaped));
}

function escaped(character: string): string {
  return "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0");
}
