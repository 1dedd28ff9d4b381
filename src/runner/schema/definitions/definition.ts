/** The parts of tool definitions for models' APIs. */

/** A JSON Schema that is an object, or any other JSON object. */
export type JsonObject = Record<string, unknown>;

/** A tool's definition for one API. */
export interface ApiDefinition {
  /** The definition as the API takes it. */
  value: JsonObject;
  /** The parts of the tool's schema that the definition can only put into words, or must omit. */
  losses: string[];
}

/** The most of a value that a note spells out, in characters. */
const MAX_SHOWN = 200;

/** A description with notes in brackets. */
export function withNotes(description: unknown, notes: readonly string[]): string {
  const text = typeof description === "string" ? description : "";
  if (notes.length === 0) return text;
  return `${text}${text === "" ? "" : " "}[${notes.join("; ")}]`;
}

/** A keyword of a schema in words: its name and its value. */
export function keywordNote(keyword: string, value: unknown): string {
  const text = jsonOf(value);
  const left = text.length - MAX_SHOWN;
  const shown = left > 0 ? `${text.slice(0, MAX_SHOWN)}… (${left} characters more)` : text;
  return `${keyword} ${shown}`;
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "(nested too deeply to be shown)";
  }
}
