/** A difference that often comes from copying, and the function that removes it. */
interface Fold {
  /** The name of the difference, for messages: `line ends`, `quotes`, `whitespace`. */
  readonly name: string;
  /** Removes the difference from a text. */
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
 * The smallest set of differences that explains why `wanted` is not in `text`: without them it is.
 * Empty when no set explains it.
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

/** Single and double quotes become the same, because many languages have both. */
function foldQuotes(text: string): string {
  return text.replace(/['`\u00b4\u2018-\u201f\u2032\u2033\u00ab\u00bb]/g, '"');
}

function foldDashes(text: string): string {
  return text.replace(/[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g, "-");
}

function dropInvisible(text: string): string {
  return text.replace(/[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g, "");
}

/** Each run of blanks becomes one blank, or none at either end of a line; line ends stay. */
function foldBlanks(text: string): string {
  return text.replace(/[^\S\r\n]+/g, " ").replace(/^ | $/gm, "");
}

/** The largest part of two texts that is compared, in UTF-16 units. */
const MAX_COMPARED = 4_000;

/** Characters that look like others or like nothing. */
const NAMES: Readonly<Record<number, string>> = {
  0x09: "tab",
  0x0d: "carriage return",
  0x20: "space",
  0xa0: "no-break space",
  0xad: "soft hyphen",
  0x2010: "hyphen",
  0x2011: "non-breaking hyphen",
  0x2013: "en dash",
  0x2014: "em dash",
  0x200b: "zero-width space",
  0x200c: "zero-width non-joiner",
  0x200d: "zero-width joiner",
  0x202f: "narrow no-break space",
  0x2212: "minus sign",
  0x3000: "ideographic space",
  0xfeff: "byte order mark",
};

/**
 * The first difference, by code points, between `wanted` and the most similar place in `text`. An
 * example is `the file has U+00A0 (no-break space) where old_string has U+0020 (space)`. Returns
 * `undefined` when nothing is similar, or when the difference can be seen because both characters
 * are ASCII.
 */
export function firstDifference(text: string, wanted: string): string | undefined {
  const [here, sought] = [text.slice(0, MAX_COMPARED), wanted.slice(0, MAX_COMPARED)];
  let best = { length: 0, at: 0 };
  for (let at = 0; at < here.length; at++) {
    let length = 0;
    while (length < sought.length && here[at + length] === sought[length]) length++;
    if (length > best.length) best = { length, at };
  }
  const [theirs, ours] = [here.slice(best.at + best.length), sought.slice(best.length)];
  if (best.length === 0 || theirs === "" || ours === "") return undefined;
  const [found, asked] = [letterOf(theirs), letterOf(ours)];
  // deno-lint-ignore no-control-regex
  if (/^[\x00-\x7f]*$/.test(found + asked)) return undefined;
  return `the file has ${named(found)} where old_string has ${named(asked)}`;
}

/** The first character with its combining marks. */
function letterOf(text: string): string {
  return /^.\p{M}*/su.exec(text)?.[0] ?? "";
}

function named(letter: string): string {
  const points = [...letter].map((each) => each.codePointAt(0)!);
  const codes = points.map((point) => `U+${point.toString(16).toUpperCase().padStart(4, "0")}`);
  const name = NAMES[points[0]!];
  if (name !== undefined) return `${codes.join(" ")} (${name})`;
  return /^[\p{L}\p{N}\p{P}\p{S}]/u.test(letter)
    ? `${codes.join(" ")} (${letter})`
    : codes.join(" ");
}
