import { parseExactJson } from "../../base/json/exact_json.ts";

/** The longest text that is mended, in characters: every token of it takes memory. */
const LONGEST = 256 * 1024;

/** White space and comments, strings, marks, words and numbers; a comment ends, as a string does. */
const TOKEN = new RegExp(
  [
    /[\s\ufeff]+|\/\/[^\n]*|\/\*[^]*?\*\//,
    /(?<text>"[^"\\]*(?:\\[^][^"\\]*)*"|'[^'\\]*(?:\\[^][^'\\]*)*')/,
    /(?<mark>[{}[\],:])/,
    /(?<word>[A-Za-z_$][\w$]*)/,
    /(?<number>-?\d[\w.+-]*)/,
  ].map(({ source }) => source).join("|"),
  "y",
);

const LITERALS = new Map([["True", "true"], ["False", "false"], ["None", "null"]]);

/**
 * The value of a text that is almost JSON: in code fences, with comments, single quotes, line
 * ends in texts, trailing commas, keys without quotes or Python's literals. `undefined` for
 * anything else: nothing is guessed or made up, so that what is cut off, which might call for
 * half of what was meant, is refused.
 */
export function repairedJson(text: string): { value: unknown } | undefined {
  if (text.length > LONGEST) return undefined;
  const whole = text.trim();
  const tokens = tokensOf(/^```[\w-]*([^]*)```$/.exec(whole)?.[1] ?? whole);
  try {
    return tokens && { value: parseExactJson(tokens.join(" ")) };
  } catch {
    return undefined;
  }
}

/** The tokens as JSON spells them; whether they are in order is for JSON's parser to say. */
function tokensOf(text: string): string[] | undefined {
  const tokens: string[] = [];
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const groups = TOKEN.exec(text)?.groups;
    if (groups === undefined) return undefined;
    const { text: quoted, mark, word, number } = groups;
    if (mark === ":") nameBefore(tokens);
    if (mark === "}" || mark === "]") dropTrailingComma(tokens);
    const token = quoted === undefined
      ? LITERALS.get(word ?? "") ?? mark ?? word ?? number
      : inJson(quoted);
    if (token !== undefined) tokens.push(token);
  }
  return tokens;
}

/** A word before a colon is a name, unless it is a literal, of which JSON has no names. */
function nameBefore(tokens: string[]): void {
  const name = tokens.at(-1) ?? "";
  if (!/^[A-Za-z_$]/.test(name) || /^(true|false|null)$/.test(name)) return;
  tokens.splice(-1, 1, JSON.stringify(name));
}

function dropTrailingComma(tokens: string[]): void {
  const [before, comma] = tokens.slice(-2);
  if (comma === "," && before !== "{" && before !== "[") tokens.pop();
}

/** A string of either quotes as JSON's; an escape that JSON has not is left, and refused by it. */
function inJson(quoted: string): string {
  const body = quoted.slice(1, -1).replace(
    /\\[^]|["\n\r\t]/g,
    (part) => part === "\\'" ? "'" : part.length === 1 ? JSON.stringify(part).slice(1, -1) : part,
  );
  return `"${body}"`;
}
