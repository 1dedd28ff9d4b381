import { RRegex } from "rregex";
import { rustPattern } from "./rust_spelling.ts";

/** What a validator asks a pattern. */
export interface Pattern {
  /** Whether the text fits. */
  test(text: string): boolean;
  /** The pattern; two that say the same here are taken for one. */
  toString(): string;
}

/**
 * A pattern of a schema, matched in time linear in the text. One that this cannot be done
 * with, for it looks around or back, fits everything here: the server checks it itself.
 */
export function linearPattern(pattern: string): Pattern {
  return { test: testOf(pattern), toString: () => `/${pattern}/` };
}

function testOf(pattern: string): Pattern["test"] {
  try {
    const regex = new RRegex(rustPattern(pattern));
    return (text) => regex.isMatch(text);
  } catch {
    return () => true;
  }
}
