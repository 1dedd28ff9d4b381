import { NamedError } from "../errors.ts";
import { quote } from "../text/quote.ts";
import { findDuplicateKey } from "./duplicate_key.ts";
import { inexactNumber, isInexactNumber } from "./inexact_number.ts";
import { inexactValues } from "./inexact_values.ts";
import { pointerOf } from "./json_pointer.ts";

/** The error for a text that is not JSON, or that JavaScript would change. The message says why. */
export class InexactJsonError extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "InexactJsonError";
}

/** The value of a JSON text, and what {@link parseExactJson} refuses it for. */
export interface JsonDocument {
  /** The value. An inexact number is an `InexactNumber`. The last of equal keys counts. */
  value: unknown;
  /** The JSON pointer of the first key that an object has twice. */
  duplicateKey?: string;
  /** Whether the value may have parts that {@link inexactValues} finds. */
  mayBeInexact: boolean;
}

/**
 * Parses a JSON text, so that a fault in one value does not hide the others. Throws {@link
 * InexactJsonError} for a text that is not one JSON document (RFC 8259), or that is too much to
 * parse ({@link excessOf}).
 */
export function parseJsonDocument(text: string): JsonDocument {
  if (text.trim() === "") throw new InexactJsonError("is empty");
  const { excess, members } = measure(text);
  if (excess !== undefined) throw new InexactJsonError(excess);
  // Checking every value costs more than parsing, and only these texts need it.
  const mayBeInexact = /\d{16}|\d[eE]\+?\d|\\u[dD][89a-fA-F]/.test(text) || !text.isWellFormed();
  let value: unknown;
  try {
    value = mayBeInexact ? JSON.parse(text, keepSource) : JSON.parse(text);
  } catch (error) {
    throw new InexactJsonError(`is not JSON: ${shorten((error as Error).message)}`);
  }
  // Counting members costs less than comparing keys, which only few texts need.
  const duplicateKey = members === countMembers(value) ? undefined : findDuplicateKey(text);
  return { value, mayBeInexact, ...(duplicateKey !== undefined && { duplicateKey }) };
}

/**
 * The value of a JSON text. Throws {@link InexactJsonError} where {@link parseJsonDocument} does.
 * Also throws for a key that an object has twice, and for values that JavaScript would change: a
 * number that it rounds to another integer or to infinity, and a lone surrogate.
 */
export function parseExactJson(text: string): unknown {
  const { value, duplicateKey, mayBeInexact } = parseJsonDocument(text);
  if (duplicateKey !== undefined) throw new InexactJsonError(duplicateFault(duplicateKey));
  const [inexact] = mayBeInexact ? inexactValues(value) : [];
  if (inexact === undefined) return value;
  const place = inexact.path.length === 0 ? "" : ` at ${quote(pointerOf(inexact.path))}`;
  throw new InexactJsonError(`has a value${place} that ${inexact.fault}`);
}

/** The fault of a text with a key that an object has twice, as the end of a sentence. */
export function duplicateFault(pointer: string): string {
  return `has the key ${quote(pointer, 200)} twice`;
}

function keepSource(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  return typeof value === "number" && source !== undefined && !isExact(source, value)
    ? inexactNumber(source)
    : value;
}

/** Returns whether a number is finite, and keeps its digits if it is written as an integer. */
function isExact(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return false;
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(source) || String(value) === source;
}

/** The number of members of all objects in a value. */
function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null || isInexactNumber(value)) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countMembers(item);
  } else {
    for (const inner of Object.values(value)) count += 1 + countMembers(inner);
  }
  return count;
}

function shorten(message: string): string {
  return quote(message, 160).slice(1, -1).replaceAll('\\"', '"');
}

/** The deepest nesting of a JSON text, in levels. */
export const MAX_DEPTH = 2_000;
/** The largest number of values in a JSON text, arrays and objects included. */
export const MAX_VALUES = 2_000_000;

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Returns why a JSON text must not be parsed, as the end of a sentence, or `undefined`. Either its
 * arrays and objects are nested deeper than {@link MAX_DEPTH} levels, or it contains more than {@link
 * MAX_VALUES} values. V8's parser needs 40 bytes of memory for each open bracket, and up to 300 for
 * a value. A text that is not JSON is followed as far as its brackets, commas and strings go.
 */
export function excessOf(text: string): string | undefined {
  return measure(text).excess;
}

/** The excess of a JSON text, and the number of members of all its objects. */
function measure(text: string): { excess?: string; members: number } {
  let [depth, values, members] = [0, 1, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COLON) members++;
    else if (code === COMMA) values++;
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      values++;
      if (++depth > MAX_DEPTH) {
        return { excess: `is nested deeper than ${MAX_DEPTH} levels`, members };
      }
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) depth--;
    if (values > MAX_VALUES) return { excess: `contains more than ${MAX_VALUES} values`, members };
  }
  return { members };
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
