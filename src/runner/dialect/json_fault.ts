import { isObject } from "../../base/json/is_object.ts";

/** The most characters of a line that is parsed for a message. */
const MAX_LINE = 1024 * 1024;

/**
 * The reason why an input is not one JSON text. `error` is the error of the parser. Objects on
 * several lines are probably several calls.
 */
export function jsonFault(text: string, error: Error): string {
  const lines = text.split("\n", 100).filter((line) => line.trim() !== "");
  const isSeveral = lines.length > 1 && lines.slice(0, 2).every(isJsonObject);
  return isSeveral
    ? 'the input is several calls, one on each line: "toolcall submit" runs them'
    : `the input ${error.message}`;
}

function isJsonObject(line: string): boolean {
  if (line.length > MAX_LINE) return false;
  try {
    return isObject(JSON.parse(line));
  } catch {
    return false;
  }
}
