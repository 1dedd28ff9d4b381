/** Reads JSON texts that models write, also texts that are almost JSON. */

import { CallError } from "../../base/errors.ts";
import { duplicateFault, InexactJsonError, parseJsonDocument } from "../../base/json/exact_json.ts";
import { quote } from "../../base/text/quote.ts";
import type { ParsedInput, Reading } from "./incoming.ts";

/** The longest text that is mended, in characters: every token of it takes memory. */
const MAX_CHARACTERS = 256 * 1024;

/** White space and comments, strings, punctuation, words and numbers, all of them terminated. */
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
 * Parses a text that is almost JSON: with code fences, comments, single quotes, line ends in
 * strings, trailing commas, keys without quotes, Python's literals, or a backslash that begins no
 * escape. Returns undefined for any other text. Nothing is guessed: a text that was cut off could call
 * for half of what was intended.
 */
export function repairedJson(text: string): ParsedInput | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  const whole = text.trim();
  const tokens = tokensOf(/^```[\w-]*([^]*)```$/.exec(whole)?.[1] ?? whole);
  try {
    if (tokens === undefined) return undefined;
    const { value, duplicateKey } = parseJsonDocument(tokens.join(" "));
    return { value, duplicateKey, repairs: [{ path: "", rule: "json_syntax" }] };
  } catch {
    return undefined;
  }
}

/** The tokens in the spelling of JSON. JSON's parser checks their order. */
function tokensOf(text: string): string[] | undefined {
  const tokens: string[] = [];
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const groups = TOKEN.exec(text)?.groups;
    if (groups === undefined) return undefined;
    const { text: quoted, mark, word, number } = groups;
    if (mark === ":") quoteName(tokens);
    if (mark === "}" || mark === "]") dropTrailingComma(tokens);
    const token = quoted === undefined
      ? LITERALS.get(word ?? "") ?? mark ?? word ?? number
      : toJsonString(quoted);
    if (token !== undefined) tokens.push(token);
  }
  return tokens;
}

/** Quotes a word before a colon, because it is a name. JSON has no literals as names. */
function quoteName(tokens: string[]): void {
  const name = tokens.at(-1) ?? "";
  if (!/^[A-Za-z_$]/.test(name) || /^(true|false|null)$/.test(name)) return;
  tokens.splice(-1, 1, JSON.stringify(name));
}

function dropTrailingComma(tokens: string[]): void {
  const [before, comma] = tokens.slice(-2);
  if (comma === "," && before !== "{" && before !== "[") tokens.pop();
}

/** A string with JSON's quotes. */
function toJsonString(quoted: string): string {
  const isPython = quoted.startsWith("'");
  const body = quoted.slice(1, -1).replace(/\\u[\da-fA-F]{4}|\\[^]|["\n\r\t]/g, (part) => {
    if (part === "\\'") return "'";
    if (part.length === 1) return JSON.stringify(part).slice(1, -1);
    return isEscape(part, isPython) ? part : `\\${part}`;
  });
  return `"${body}"`;
}

/**
 * Whether a backslash and what follows must stay as they are. Any other backslash means itself, as in
 * `C:\Users` and `\d`. JSON's parser then rejects the end of a line, and what is an escape only in
 * Python.
 */
function isEscape(part: string, isPython: boolean): boolean {
  return part.length > 2 || /^\\["\\/bfnrt\n\r]$/.test(part) ||
    isPython && /^\\[0-7avxuUN]$/.test(part);
}

/**
 * Parses the JSON text of the arguments of the tool `name`. Throws `malformed_call` for a duplicate key,
 * and for invalid JSON that cannot or may not be repaired.
 */
export function argumentsInText(
  text: string,
  name: string,
  { repairJson = false }: Reading,
): ParsedInput {
  const refuse = (why: string, details: Record<string, unknown> = {}) =>
    new CallError(
      "malformed_call",
      `Cannot read the arguments of ${quote(name)}: their text, ${quote(text, 80)}, ${why}; ` +
        'expected one JSON object such as {"path":"README.md"}',
      details,
    );
  const parsed = parsedText(text, repairJson);
  if (parsed instanceof InexactJsonError) throw refuse(parsed.message);
  const { duplicateKey } = parsed;
  if (duplicateKey === undefined) return parsed;
  throw refuse(duplicateFault(duplicateKey), { key: duplicateKey.slice(0, 200) });
}

function parsedText(text: string, repairJson: boolean): ParsedInput | InexactJsonError {
  try {
    const { value, duplicateKey } = parseJsonDocument(text);
    return { value, duplicateKey, repairs: [] };
  } catch (error) {
    if (!(error instanceof InexactJsonError)) throw error;
    return (repairJson ? repairedJson(text) : undefined) ?? error;
  }
}
