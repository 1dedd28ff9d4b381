import { RRegex } from "rregex";
import { rustPattern } from "./rust_spelling.ts";

/**
 * A pattern of a schema, matched in time linear in the text. One that this cannot be done
 * with, for it looks around or back, fits everything here: the server checks it itself.
 */
export function linearPattern(pattern: string): { test(text: string): boolean } {
  try {
    const regex = new RRegex(rustPattern(pattern));
    return { test: (text) => regex.isMatch(text) };
  } catch {
    return { test: () => true };
  }
}
