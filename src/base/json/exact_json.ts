import { NamedError } from "../errors.ts";
import { quote } from "../text/quote.ts";

/** The error for a text that is not JSON, or that JavaScript would change; the message says why. */
export class InexactJsonError extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "InexactJsonError";
}

/**
 * The value of a JSON text. Throws {@link InexactJsonError} for a text that is not one JSON
 * document (RFC 8259), or that is too much to parse ({@link excessOf}). Also throws for values that
 * JavaScript would change: a number that it rounds to another integer or to infinity, and a lone
 * surrogate. The last of equal keys in one object counts.
 */
export function parseExactJson(text: string): unknown {
  if (text.trim() === "") throw new InexactJsonError("is empty");
  const excess = excessOf(text);
  if (excess !== undefined) throw new InexactJsonError(excess);
  try {
    // Checking every value costs more than parsing, and only these texts need it.
    return /\d{16}|\d[eE]\+?\d|\\u[dD][89a-fA-F]/.test(text)
      ? JSON.parse(text, refuseLoss)
      : JSON.parse(text);
  } catch (error) {
    if (error instanceof InexactJsonError) throw error;
    throw new InexactJsonError(`is not JSON: ${shorten((error as Error).message)}`);
  }
}

function refuseLoss(key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (typeof value === "number" && source !== undefined && !isExact(source, value)) {
    throw new InexactJsonError(
      `contains the number ${source.slice(0, 40)} at ${quote(key)}, ` +
        "which cannot be represented exactly",
    );
  }
  if ((typeof value === "string" && !value.isWellFormed()) || !key.isWellFormed()) {
    throw new InexactJsonError(`contains a lone surrogate in the string at ${quote(key)}`);
  }
  return value;
}

/** Returns whether a number is finite, and exact if it is written as an integer. */
function isExact(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(source) ||
    BigInt(source) === BigInt(value);
}

function shorten(message: string): string {
  return quote(message, 160).slice(1, -1).replaceAll('\\"', '"');
}

/** The deepest nesting of a JSON text, in levels. */
export const MAX_DEPTH = 2_000;
/** The largest number of values in a JSON text, arrays and objects included. */
export const MAX_VALUES = 2_000_000;

const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Returns why a JSON text must not be parsed, as the end of a sentence, or `undefined`. Either its
 * arrays and objects are nested deeper than {@link MAX_DEPTH} levels, or it contains more than {@link
 * MAX_VALUES} values. V8's parser needs 40 bytes of memory for each open bracket, and up to 300 for
 * a value. A text that is not JSON is followed as far as its brackets, commas and strings go.
 */
export function excessOf(text: string): string | undefined {
  if (text.length <= MAX_DEPTH) return undefined;
  let [depth, values] = [0, 1];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA) values++;
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      values++;
      if (++depth > MAX_DEPTH) return `is nested deeper than ${MAX_DEPTH} levels`;
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) depth--;
    if (values > MAX_VALUES) return `contains more than ${MAX_VALUES} values`;
  }
  return undefined;
}

/** The place of the quote that ends the string which begins at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text.charCodeAt(before - 1) === BACKSLASH) before--;
    // An even number of backslashes escape each other, and not the quote.
    if ((end - before) % 2 === 0) return end;
  }
  return text.length;
}
