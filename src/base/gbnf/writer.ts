import type { SchemaObject } from "../json/schema_ref.ts";
import type { Rules } from "./rules.ts";

/** The location of a schema in the arguments. */
export interface SchemaLocation {
  /** The path for people, such as `arguments.todos[].content`. */
  path: string;
  /** The number of schemas around it. */
  depth: number;
  /** The schemas around it of which no character has been written yet, as JSON. */
  open: ReadonlySet<string>;
}

/** The operations that the writers of all types of values share. */
export interface Writer {
  /** The rules so far. */
  rules: Rules;
  /** The rule for a schema's values; undefined if no value fits. */
  write(schema: unknown, location: SchemaLocation): string | undefined;
  /** Returns whether one more schema may be expanded, and counts it. */
  mayTakeApart(): boolean;
  /** The text after which the rules of a location are named. */
  hint(location: SchemaLocation): string;
  /** Reports a keyword that the grammar cannot express at a location, so that it admits more. */
  report(location: SchemaLocation, what: string): void;
}

/** The location of a value inside an object or an array, whose bracket has been written. */
export function inside(location: SchemaLocation, step: string): SchemaLocation {
  return { path: location.path + step, depth: location.depth + 1, open: new Set() };
}

/** The keyword's value if it is a finite number, else undefined. */
export function numberOf(schema: SchemaObject, keyword: string): number | undefined {
  const value = schema[keyword];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Reports each of the keywords that the schema has: the grammar cannot express them. */
export function reportUnsupported(
  writer: Writer,
  schema: SchemaObject,
  { location, keywords }: { location: SchemaLocation; keywords: readonly string[] },
): void {
  for (const keyword of keywords) {
    if (schema[keyword] === undefined || schema[keyword] === false) continue;
    writer.report(location, `"${keyword}"`);
  }
}

/** The bounds of a length or a count. Reports and leaves out a bound that is too large for a rule. */
export function boundsOf(
  writer: Writer,
  schema: SchemaObject,
  { location, keywords, most }: {
    location: SchemaLocation;
    keywords: readonly [string, string];
    most: number;
  },
): { min: number; max: number } {
  const [least, greatest] = keywords.map((keyword) => {
    const value = numberOf(schema, keyword);
    if (value === undefined || value <= most) return value;
    writer.report(location, `"${keyword}" above ${most}`);
    return undefined;
  });
  return { min: Math.max(0, Math.ceil(least ?? 0)), max: Math.floor(greatest ?? Infinity) };
}
