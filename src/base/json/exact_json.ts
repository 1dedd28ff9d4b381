import { NamedError } from "../errors.ts";
import { excessOf } from "./json_depth.ts";
import { quote } from "../text/quote.ts";

/** A JSON text that is none, or that JavaScript could only take in changed; the message says why. */
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
    // Looking at every value costs more than parsing, and is needed only where these occur.
    return /\d{16}|\d[eE]\+?\d|\\u[dD][89a-fA-F]/.test(text)
      ? JSON.parse(text, refuseLoss)
      : JSON.parse(text);
  } catch (error) {
    if (error instanceof InexactJsonError) throw error;
    throw new InexactJsonError(`is not JSON: ${shorten((error as Error).message)}`);
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
      const number = context.source.slice(0, 40);
      throw new InexactJsonError(
        `holds the number ${number} at ${quote(key)}, which cannot be represented exactly`,
      );
    }
  }
  if (
    (typeof value === "string" && !value.isWellFormed()) || !key.isWellFormed()
  ) {
    throw new InexactJsonError(`holds a lone surrogate in the text at ${quote(key)}`);
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
