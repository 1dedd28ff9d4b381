import type { SchemaObject } from "../json/schema_ref.ts";
import { MAX_TIMES, type Rules } from "./rules.ts";

/** Writes the rules for one location in the arguments. The rules of all types of values use it. */
export interface Writer {
  /** The rules so far. */
  readonly rules: Rules;
  /** The schema in which references are resolved. */
  readonly root: unknown;
  /** The text after which the rules of this location are named. */
  readonly hint: string;
  /** The rule for a schema's values; undefined if no value fits. */
  write(schema: unknown): string | undefined;
  /** The writer for a value inside an object or an array, whose bracket has been written. */
  inside(step: string): Writer;
  /** Returns whether one more schema may be expanded, and counts it. */
  mayTakeApart(): boolean;
  /** Reports a keyword that the grammar cannot express here, so that it admits more. */
  report(what: string): void;
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
  keywords: readonly string[],
): void {
  for (const keyword of keywords) {
    if (schema[keyword] === undefined || schema[keyword] === false) continue;
    writer.report(`"${keyword}"`);
  }
}

/** The bounds of a length or a count. Reports and leaves out a bound that is too large for a rule. */
export function boundsOf(
  writer: Writer,
  schema: SchemaObject,
  keywords: readonly [string, string],
): { min: number; max: number } {
  const [least, greatest] = keywords.map((keyword) => {
    const value = numberOf(schema, keyword);
    if (value === undefined || value <= MAX_TIMES) return value;
    writer.report(`"${keyword}" above ${MAX_TIMES}`);
    return undefined;
  });
  return { min: Math.max(0, Math.ceil(least ?? 0)), max: Math.floor(greatest ?? Infinity) };
}
