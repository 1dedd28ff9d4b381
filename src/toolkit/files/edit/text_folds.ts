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
  { name: "dashes", apply: foldDashes },
  { name: "composed and decomposed letters", apply: (text) => text.normalize("NFC") },
  { name: "invisible characters", apply: dropInvisible },
  { name: "whitespace", apply: foldBlanks },
];

/**
 * The kinds of difference, none of them needless, that explain why `wanted` is not in `text`:
 * once they are evened out, it is. Empty when they explain nothing.
 */
export function onlyDifferences(text: string, wanted: string): string[] {
  const explains = (folds: readonly Fold[]) => {
    const fold = (value: string) => folds.reduce((folded, { apply }) => apply(folded), value);
    const sought = fold(wanted);
    return sought !== "" && fold(text).includes(sought);
  };
  let needed = FOLDS;
  if (!explains(needed)) return [];
  for (const fold of FOLDS) {
    const fewer = needed.filter((each) => each !== fold);
    if (explains(fewer)) needed = fewer;
  }
  return needed.map(({ name }) => name);
}

/** A line with all folds applied, for comparing. */
export function foldedLine(line: string): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  return foldBlanks(dropInvisible(foldDashes(foldQuotes(text.normalize("NFC")))));
}

/** Single and double ones are the same here too: many languages have both. */
function foldQuotes(text: string): string {
  return text.replace(/['`\u00b4\u2018-\u201f\u2032\u2033\u00ab\u00bb]/g, '"');
}

function foldDashes(text: string): string {
  return text.replace(/[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g, "-");
}

function dropInvisible(text: string): string {
  return text.replace(/[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g, "");
}

/** Runs of blanks become one, and those at either end of a line none; line ends stay. */
function foldBlanks(text: string): string {
  return text.replace(/[^\S\r\n]+/g, " ").replace(/^ | $/gm, "");
}
