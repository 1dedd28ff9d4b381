import { CallError, isCallError } from "../call_error.ts";
import { quote } from "../quote.ts";

/** The most input that is read, in bytes. */
export const MAX_INPUT_BYTES = 64 * 1024 * 1024;

/**
 * The value of a JSON text in UTF-8, with an optional byte order mark. Throws
 * `malformed_call` for what is not one JSON document (RFC 8259), and for what
 * JavaScript could only take in changed: a number it has to round to another
 * integer or to infinity, and a lone surrogate. Of equal keys in one object the
 * last counts.
 */
export function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length > MAX_INPUT_BYTES) {
    throw malformed(`the input is larger than ${MAX_INPUT_BYTES} bytes`);
  }
  const text = decode(bytes);
  if (text.trim() === "") throw malformed("the input is empty");
  try {
    // Looking at every value costs more than parsing, and is needed only where these occur.
    return /\d{16}|\d[eE]\+?\d|\\u[dD][89a-fA-F]/.test(text)
      ? JSON.parse(text, refuseLoss)
      : JSON.parse(text);
  } catch (error) {
    if (isCallError(error)) throw error;
    if (error instanceof RangeError) {
      throw malformed("the input is nested too deeply");
    }
    throw malformed(
      `the input is not JSON: ${shorten((error as Error).message)}`,
    );
  }
}

/** A failure of the input itself, with data for programs. */
export function malformed(why: string, details: Record<string, unknown> = {}): CallError {
  return new CallError(
    "malformed_call",
    `Cannot read the tool call: ${why}; expected one JSON object such as ` +
      `{"name":"fs.read","arguments":{"path":"README.md"}}`,
    details,
  );
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) ||
      (bytes[0] === 0xfe && bytes[1] === 0xff);
    throw malformed(
      utf16 ? "the input is UTF-16, not UTF-8" : "the input is not UTF-8",
    );
  }
}

function refuseLoss(
  key: string,
  value: unknown,
  context?: { source?: string },
): unknown {
  if (typeof value === "number" && context?.source !== undefined) {
    if (
      !Number.isFinite(value) ||
      (!Number.isSafeInteger(value) && !isExact(context.source, value))
    ) {
      throw malformed(
        `the number ${context.source.slice(0, 40)} at ${quote(key)} cannot be represented exactly`,
      );
    }
  }
  if (
    (typeof value === "string" && !value.isWellFormed()) || !key.isWellFormed()
  ) {
    throw malformed(`the text at ${quote(key)} holds a lone surrogate`);
  }
  return value;
}

/** Whether a number written as an integer is one that JavaScript keeps. */
function isExact(source: string, value: number): boolean {
  return !/^-?\d+$/.test(source) || BigInt(source) === BigInt(value);
}

function shorten(message: string): string {
  return quote(message, 160).slice(1, -1).replaceAll('\\"', '"');
}
