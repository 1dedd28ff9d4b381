/** A way in which a text is often copied wrongly, and how to even it out. */
export interface Fold {
  /** What differs, for messages: `line ends`, `quotes`, `whitespace`. */
  readonly name: string;
  /** Evens the difference out. */
  readonly apply: (text: string) => string;
}

const FOLDS: readonly Fold[] = [
  { name: "line ends", apply: (text) => text.replace(/\r\n?/g, "\n") },
  { name: "quotes", apply: foldQuotes },
  { name: "whitespace", apply: foldBlanks },
];

/**
 * The fewest kinds of difference that explain why `wanted` is not in `text`:
 * once they are evened out, it is. Empty when they explain nothing.
 */
export function onlyDifferences(text: string, wanted: string): string[] {
  const subsets = [[0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]];
  for (const subset of subsets) {
    const folds = subset.flatMap((index) => FOLDS[index] ?? []);
    const fold = (value: string) => folds.reduce((folded, { apply }) => apply(folded), value);
    if (fold(text).includes(fold(wanted))) return folds.map(({ name }) => name);
  }
  return [];
}

/** A line with all folds applied, for comparing. */
export function foldedLine(line: string): string {
  return foldQuotes(foldBlanks(line.endsWith("\r") ? line.slice(0, -1) : line));
}

function foldQuotes(text: string): string {
  return text.replace(/[\u2018-\u201b\u2032`\u00b4]/g, "'").replace(
    /[\u201c-\u201f\u2033\u00ab\u00bb]/g,
    '"',
  );
}

/** Runs of blanks become one, and those at either end of a line none; line ends stay. */
function foldBlanks(text: string): string {
  return text.replace(/[^\S\r\n]+/g, " ").replace(/^ | $/gm, "");
}
