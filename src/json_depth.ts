/** The deepest nesting of a JSON text that is read, in levels. */
export const MAX_DEPTH = 2_000;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Whether the arrays and objects of a JSON text lie deeper in each other than {@link MAX_DEPTH}
 * levels. It is for use before parsing: V8's parser needs 40 bytes of memory for each open
 * bracket. A text that is not JSON is followed as far as its brackets and strings go.
 */
export function isTooDeep(text: string): boolean {
  if (text.length <= MAX_DEPTH) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      if (++depth > MAX_DEPTH) return true;
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) {
      depth--;
    }
  }
  return false;
}

/** The place of the quote that ends the string which begins at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text.charCodeAt(before - 1) === BACKSLASH) before--;
    // An even number of backslashes before it escapes each other, and not the quote.
    if ((end - before) % 2 === 0) return end;
  }
  return text.length;
}
