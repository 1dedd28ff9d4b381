import type { Rules } from "./rules.ts";

/** A JSON Schema that is not `true` or `false`. */
export type SchemaObject = Record<string, unknown>;

/** Where in the arguments a schema is, and what is being written around it. */
export interface SchemaLocation {
  /** The path for people, such as `arguments.todos[].content`. */
  path: string;
  /** How many schemas it lies in. */
  depth: number;
  /** The schemas that are being written and of which no character has been. */
  open: ReadonlySet<string>;
}

/** What the writers of single kinds of values share. */
export interface Writer {
  /** The rules so far. */
  rules: Rules;
  /** The rule for a schema's values, or undefined when there is none that fits it. */
  write(schema: unknown, location: SchemaLocation): string | undefined;
  /** Whether one more schema may be taken apart; of a few thousand, all are. */
  mayTakeApart(): boolean;
  /** What the rules of a location are named after. */
  hint(location: SchemaLocation): string;
  /** Says that a keyword cannot be expressed there, and that more is admitted for it. */
  report(location: SchemaLocation, what: string): void;
}

/** A location inside of an object or an array, of which at least the bracket has been written. */
export function inside(location: SchemaLocation, step: string): SchemaLocation {
  return { path: location.path + step, depth: location.depth + 1, open: new Set() };
}

/** The keyword's value where it is a number, else undefined. */
export function numberOf(schema: SchemaObject, keyword: string): number | undefined {
  const value = schema[keyword];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Says of each keyword that is there that it cannot be expressed. */
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

/** The bounds of a length or a count; those too large for a rule are told of and left out. */
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
