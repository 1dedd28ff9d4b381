import type { SchemaObject } from "../json/schema_ref.ts";
import { lengthRange, parsePattern, type SimplePattern } from "./pattern_tree.ts";
import {
  boundsOf,
  MAX_TIMES,
  repeat,
  reportUnsupported,
  type Rules,
  type Writer,
} from "./rules.ts";
import { NEVER, stringForms } from "./terminal.ts";

/** The rule for the strings that fit the schema; undefined if no string fits. */
export function stringRule(writer: Writer, schema: SchemaObject): string | undefined {
  const { rules } = writer;
  const quoted = (body: string) =>
    rules.add("string", body === '""' ? '"\\"\\""' : `"\\"" ${body} "\\""`);
  reportUnsupported(writer, schema, ["format"]);
  const length = boundsOf(writer, schema, ["minLength", "maxLength"]);
  if (length.min > length.max) return undefined;
  const pattern = patternOf(writer, schema);
  if (pattern === undefined) return quoted(repeat(rules, "char", length));
  const fitting = ofLength(pattern, length);
  if (fitting === "none") return undefined;
  if (fitting === undefined) writer.report('"minLength" and "maxLength" beside this "pattern"');
  return quoted(patternRule(rules, fitting ?? pattern));
}

/** The pattern of the schema. Reports one that the grammar cannot express. */
function patternOf(writer: Writer, { pattern: source }: SchemaObject): SimplePattern | undefined {
  if (typeof source !== "string") return undefined;
  const pattern = parsePattern(source);
  if (pattern !== undefined && isWithinBounds(pattern)) return pattern;
  writer.report(`"pattern" ${JSON.stringify(source)}`);
  return undefined;
}

/** The rule for the matches of a pattern, as JSON writes them between the quotes. */
function patternRule(rules: Rules, pattern: SimplePattern): string {
  if (pattern.kind === "one") {
    const ways = stringForms(pattern.set);
    return rules.add("character", ways.length === 0 ? NEVER : ways.join(" | "));
  }
  if (pattern.kind === "repeat") {
    return rules.add("repeated", repeat(rules, patternRule(rules, pattern.part), pattern));
  }
  const parts = pattern.parts.map((part) => patternRule(rules, part));
  if (pattern.kind === "choice") return rules.choice("choice", parts);
  return parts.length === 1 ? parts[0]! : rules.add("sequence", parts.join(" ") || '""');
}

/** The most repetition counts that a grammar reader should track at once, for parts of no fixed length. */
const MAX_COUNTS = 100;

/** Returns whether a grammar can keep every bound of the repetitions in a pattern. */
function isWithinBounds(pattern: SimplePattern): boolean {
  if (pattern.kind === "one") return true;
  if (pattern.kind !== "repeat") return pattern.parts.every(isWithinBounds);
  const { min, max, part } = pattern;
  const each = lengthRange(part);
  return min <= MAX_TIMES && (max === Infinity || max <= MAX_TIMES) && isWithinBounds(part) &&
    (each.min === each.max || counts(pattern) <= MAX_COUNTS);
}

/** The number of different repetition counts with which a pattern can match the same string. */
function counts(pattern: SimplePattern): number {
  if (pattern.kind === "one") return 1;
  if (pattern.kind !== "repeat") return Math.max(1, ...pattern.parts.map(counts));
  const { min, max, part } = pattern;
  return counts(part) * Math.max(1, max === Infinity ? min : max);
}

/**
 * The pattern for those matches of `pattern` whose length is in the range. Returns `"none"` if no
 * match has such a length, and undefined if a pattern cannot express it. It can if only one part has
 * no fixed length, and that part repeats a part of a fixed length.
 */
function ofLength(
  pattern: SimplePattern,
  { min, max }: { min: number; max: number },
): SimplePattern | "none" | undefined {
  const all = lengthRange(pattern);
  if (all.min >= min && all.max <= max) return pattern;
  if (all.min > max || all.max < min) return "none";
  if (pattern.kind === "choice") {
    const parts = pattern.parts.map((part) => ofLength(part, { min, max }));
    if (parts.includes(undefined)) return undefined;
    const left = parts.filter((part) => part !== "none") as SimplePattern[];
    return left.length === 0 ? "none" : { kind: "choice", parts: left };
  }
  if (pattern.kind === "repeat") {
    const each = lengthRange(pattern.part);
    if (each.min !== each.max || each.min === 0) return undefined;
    const least = Math.max(pattern.min, Math.ceil(min / each.min));
    const most = Math.min(pattern.max, Math.floor(max / each.min));
    return least > most ? "none" : { ...pattern, min: least, max: most };
  }
  if (pattern.kind === "one") return "none";
  const loose = pattern.parts.filter((part) => lengthRange(part).min !== lengthRange(part).max);
  const [only] = loose;
  if (only === undefined || loose.length > 1) return undefined;
  const fixed = all.min - lengthRange(only).min;
  const part = ofLength(only, { min: Math.max(0, min - fixed), max: max - fixed });
  if (part === undefined || part === "none") return part;
  return { ...pattern, parts: pattern.parts.map((each) => each === only ? part : each) };
}
