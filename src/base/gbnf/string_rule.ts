import type { SchemaObject } from "../json/schema_ref.ts";
import { lengthRange, parsePattern, type SimplePattern } from "./pattern_tree.ts";
import { MAX_TIMES, repeat, type Rules } from "./rules.ts";
import { boundsOf, reportUnsupported, type SchemaLocation, type Writer } from "./writer.ts";
import { NEVER, stringForms } from "./terminal.ts";

/** The rule for the strings that fit the schema; undefined if no string fits. */
export function stringRule(
  writer: Writer,
  schema: SchemaObject,
  location: SchemaLocation,
): string | undefined {
  const { rules } = writer;
  reportUnsupported(writer, schema, { location, keywords: ["format"] });
  const length = boundsOf(writer, schema, {
    location,
    keywords: ["minLength", "maxLength"],
    most: MAX_TIMES,
  });
  if (length.min > length.max) return undefined;
  const pattern = patternOf(writer, schema, location);
  if (pattern === undefined) return quoted(writer, repeat(rules, anyCharacter(writer), length));
  const fitting = ofLength(pattern, length);
  if (fitting === "none") return undefined;
  if (fitting === undefined) {
    writer.report(location, '"minLength" and "maxLength" beside this "pattern"');
  }
  return quoted(writer, patternRule(rules, fitting ?? pattern));
}

/** The rule for every string. */
export function anyString(writer: Pick<Writer, "rules">): string {
  return quoted(writer, `${anyCharacter(writer)}*`);
}

function quoted({ rules }: Pick<Writer, "rules">, body: string): string {
  return rules.add("string", body === '""' ? '"\\"\\""' : `"\\"" ${body} "\\""`);
}

/** One character of a string, literally or escaped; an escaped surrogate pair is one character. */
function anyCharacter({ rules }: Pick<Writer, "rules">): string {
  const escape = rules.add(
    "escape",
    '["\\\\/bfnrt] | "u" ([0-9A-CEFa-cef] [0-9A-Fa-f]{3} | [Dd] [0-7] [0-9A-Fa-f]{2} | ' +
      '[Dd] [89ABab] [0-9A-Fa-f]{2} "\\\\u" [Dd] [C-Fc-f] [0-9A-Fa-f]{2})',
  );
  return rules.add("char", `[^"\\\\\\x00-\\x1F] | "\\\\" ${escape}`);
}

function patternOf(
  writer: Writer,
  schema: SchemaObject,
  location: SchemaLocation,
): SimplePattern | undefined {
  const source = schema["pattern"];
  if (typeof source !== "string") return undefined;
  const pattern = parsePattern(source);
  if (pattern !== undefined && isWithinBounds(pattern)) return pattern;
  writer.report(location, `"pattern" ${JSON.stringify(source)}`);
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

/** The number of different repetition counts with which a pattern can match the same text. */
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
  if (pattern.kind === "repeat") return fewerTimes(pattern, { min, max });
  if (pattern.kind === "one") return "none";
  const loose = pattern.parts.filter((part) => lengthRange(part).min !== lengthRange(part).max);
  const [only] = loose;
  if (only === undefined || loose.length > 1) return undefined;
  const fixed = all.min - lengthRange(only).min;
  const part = ofLength(only, { min: Math.max(0, min - fixed), max: max - fixed });
  if (part === undefined || part === "none") return part;
  return { ...pattern, parts: pattern.parts.map((each) => each === only ? part : each) };
}

function fewerTimes(
  pattern: Extract<SimplePattern, { kind: "repeat" }>,
  { min, max }: { min: number; max: number },
): SimplePattern | "none" | undefined {
  const each = lengthRange(pattern.part);
  if (each.min !== each.max || each.min === 0) return undefined;
  const least = Math.max(pattern.min, Math.ceil(min / each.min));
  const most = Math.min(pattern.max, Math.floor(max / each.min));
  return least > most ? "none" : { ...pattern, min: least, max: most };
}
