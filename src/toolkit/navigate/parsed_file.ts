import { type FileNames, fileNames } from "./file_names.ts";
import type { Dialect } from "./languages.ts";
import type { SourceParser } from "./parser.ts";

/** A file that has been gone through. */
export interface ParsedFile extends FileNames {
  /** The language that it turned out to be in. */
  dialect: Dialect;
  /** Its lines, without their ends. */
  lines: string[];
}

/**
 * Parses a text and finds its names, or the places of one name. Of several dialects, those
 * with a sign in the text before others, the first is taken whose grammar the text follows,
 * or else the one that it follows best. `undefined` when it takes too long.
 */
export async function parseFile(
  text: string,
  options: { dialects: readonly Dialect[]; parser: SourceParser; name?: string | undefined },
): Promise<ParsedFile | undefined> {
  const { dialects, parser, name } = options;
  let best: (FileNames & { dialect: Dialect }) | undefined;
  const likelihood = ({ sign }: Dialect) => sign?.test(text) ? 0 : 1;
  for (const dialect of dialects.toSorted((a, b) => likelihood(a) - likelihood(b))) {
    const tree = await parser.parse(text, dialect);
    if (tree === undefined) continue;
    const rest = () => parser.rest();
    const found = await fileNames(tree, { rules: dialect.rules, name, rest })
      .finally(() => tree.delete());
    if (best === undefined || found.errorLines.length < best.errorLines.length) {
      best = { ...found, dialect };
    }
    if (best.errorLines.length === 0) break;
  }
  return best && { ...best, lines: text.split(/\r?\n/) };
}
