import type { SchemaObject } from "../json/schema_ref.ts";

/** The most rules of a grammar. A schema that would need more is admitted without checks. */
const MAX_RULES = 20_000;

/** The most characters of all rules together. */
const MAX_TEXT = 2_000_000;

/** The rules of a grammar that is being written. Each body is written once. */
export class Rules {
  #bodies = new Map<string, string>();
  #named = new Map<string, string>();
  #size = 0;

  /** True if there are so many rules that nothing more should be added. */
  get isFull(): boolean {
    return this.#bodies.size > MAX_RULES || this.#size > MAX_TEXT;
  }

  /** The name of the rule with that body: the one that is there, or a new one named after `hint`. */
  add(hint: string, body: string): string {
    const known = this.#named.get(body);
    if (known !== undefined) return known;
    const name = this.reserve(hint);
    this.define(name, body);
    return name;
  }

  /** A name that no rule has yet, legal in GBNF: letters, digits and dashes. */
  reserve(hint: string): string {
    const plain = hint.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "")
      .slice(0, 60) || "rule";
    let name = plain;
    for (let count = 2; this.#bodies.has(name); count++) name = `${plain}-${count}`;
    this.#bodies.set(name, "");
    return name;
  }

  /** Gives a reserved name its body. */
  define(name: string, body: string): void {
    this.#bodies.set(name, body);
    this.#size += name.length + body.length;
    if (!this.#named.has(body)) this.#named.set(body, name);
  }

  /** A choice between `choices`, which has at least one element. */
  choice(hint: string, choices: readonly string[]): string {
    const different = [...new Set(choices)];
    return different.length === 1 ? different[0]! : this.add(hint, different.join(" | "));
  }

  /** The grammar, one rule per line, without the rules that `root` does not reach. */
  text(root: string): string {
    const reached = new Set([root]);
    for (const name of reached) {
      for (const each of named(this.#bodies.get(name) ?? "")) {
        if (this.#bodies.has(each)) reached.add(each);
      }
    }
    return [...reached].map((name) => `${name} ::= ${this.#bodies.get(name)}\n`).join("");
  }
}

/** The names in a body, without its literals and classes. */
function named(body: string): string[] {
  return body.replace(/"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|\{[^}]*\}/g, " ")
    .match(/[a-z0-9-]+/g) ?? [];
}

/** The most repetitions in one operator. llama.cpp refuses more than 2,000, or ignores the bound. */
const MAX_REPEAT = 1_000;

/** The largest bound that a grammar keeps. */
export const MAX_TIMES = MAX_REPEAT * MAX_REPEAT;

/**
 * The named rule, between `min` and `max` times, as a sequence for a body (not for an operator).
 * Bounds in the thousands are written as blocks of a thousand, which takes only a few rules. The
 * caller must leave out bounds above {@link MAX_TIMES}.
 */
export function repeat(
  rules: Rules,
  name: string,
  { min, max }: { min: number; max: number },
): string {
  if (max === 0) return '""';
  if (max === Infinity && min <= 1) return `${name}${min === 0 ? "*" : "+"}`;
  if (max === Infinity) return `${repeat(rules, name, { min, max: min })} ${name}*`;
  if (min === 0 && max === 1) return `${name}?`;
  if (max <= MAX_REPEAT) {
    if (min === max) return min === 1 ? name : `${name}{${min}}`;
    return `${name}{${min},${max}}`;
  }
  const [blocks, rest] = [Math.floor(max / MAX_REPEAT), max % MAX_REPEAT];
  const block = rules.add(`${name}-${MAX_REPEAT}`, `${name}{${MAX_REPEAT}}`);
  if (min === max) {
    const tail = rest === 0 ? "" : ` ${repeat(rules, name, { min: rest, max: rest })}`;
    return `${block}{${blocks}}${tail}`;
  }
  if (min > 0) {
    const first = repeat(rules, name, { min, max: min });
    return `${first} ${repeat(rules, name, { min: 0, max: max - min })}`;
  }
  const fewer = blocks === 1 ? "" : `${block}{0,${blocks - 1}} `;
  const last = rest === 0 ? "" : ` ${repeat(rules, name, { min: 0, max: rest })}`;
  return rules.add(
    `${name}-to-${max}`,
    `${fewer}${name}{0,${MAX_REPEAT - 1}} | ${block}{${blocks}}${last}`,
  );
}

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
