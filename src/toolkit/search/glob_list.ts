import { splitGlobs } from "./glob_syntax.ts";
import { IgnoreRules } from "./ignore_rules.ts";

/** The globs in a string, separated by commas or blanks. Throws an Error for an invalid one. */
export function readGlobs(text: string): string[] {
  const globs = splitGlobs(text);
  for (const glob of globs) {
    try {
      new IgnoreRules().add(glob);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new Error(`Invalid glob "${glob}": ${error.message}`, { cause: { glob } });
    }
  }
  return globs;
}
