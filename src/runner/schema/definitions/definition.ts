/** What the definitions of tools for the models' APIs are made of. */

/** A JSON Schema that is an object, or any other JSON object. */
export type JsonObject = Record<string, unknown>;

/** A tool, as far as a definition tells of it. */
export interface ToolToDefine {
  /** Its name, as every API takes it. */
  name: string;
  /** What it does. */
  description: string;
  /** The JSON Schema of its arguments, whatever it is and of whatever draft. */
  inputSchema: unknown;
}

/** A tool's definition for one API. */
export interface ApiDefinition {
  /** What goes to the API. */
  value: JsonObject;
  /** What its schema says that this one can only tell in words, or not at all; the rest is kept. */
  losses: string[];
}

/** The most of a value that a note spells out, in characters. */
const LONGEST = 200;

/** A description with what its schema cannot say. */
export function withNotes(description: unknown, notes: readonly string[]): string {
  const text = typeof description === "string" ? description : "";
  if (notes.length === 0) return text;
  return `${text}${text === "" ? "" : " "}[${notes.join("; ")}]`;
}

/** A keyword of a schema in words: its name and its value. */
export function keywordNote(keyword: string, value: unknown): string {
  const text = jsonOf(value);
  const left = text.length - LONGEST;
  const shown = left > 0 ? `${text.slice(0, LONGEST)}… (${left} characters more)` : text;
  return `${keyword} ${shown}`;
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "(too deep to be shown)";
  }
}
