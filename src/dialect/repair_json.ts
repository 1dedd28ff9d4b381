import { jsonrepair } from "jsonrepair";
import { parseExactJson } from "../exact_json.ts";

/** The longest text that is mended, in characters: the time it takes grows with the square. */
const LONGEST = 256 * 1024;

/**
 * The value of a text that is almost JSON: with code fences, comments, single quotes,
 * trailing commas or Python's literals. `undefined` for what is something else, for what
 * is cut off, which might call for half of what was meant, and for numbers and texts that
 * cannot be taken as they are.
 */
export function repairedJson(text: string): { value: unknown } | undefined {
  if (text.length > LONGEST) return undefined;
  try {
    const repaired = jsonrepair(text);
    return isCutOff(text, repaired) ? undefined : { value: parseExactJson(repaired) };
  } catch {
    return undefined;
  }
}

/** Whether brackets were closed that the text left open. */
function isCutOff(text: string, repaired: string): boolean {
  return ["}", "]"].some((bracket) => count(repaired, bracket) > count(text, bracket));
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}
