import { isObject } from "../json/is_object.ts";
import { naturalRule } from "./digits.ts";
import type { Rules } from "./rules.ts";
import { literal } from "./terminal.ts";

/** The rule for every value of JSON, once {@link writeAnyValue} has written it. */
export const ANY_VALUE = "value";

/**
 * Writes the rule for every value of JSON into rules that are still empty, and the rules `ws`,
 * `char`, `string`, `number` and `boolean`, which other rules use by these names.
 */
export function writeAnyValue(rules: Rules): void {
  rules.reserve(ANY_VALUE);
  // White space between tokens is bounded, because some models never stop emitting it.
  rules.add("ws", '(" " | "\\n" [ \\t]{0,60})?');
  // An escaped surrogate pair is one character.
  rules.add(
    "escape",
    '["\\\\/bfnrt] | "u" ([0-9A-CEFa-cef] [0-9A-Fa-f]{3} | [Dd] [0-7] [0-9A-Fa-f]{2} | ' +
      '[Dd] [89ABab] [0-9A-Fa-f]{2} "\\\\u" [Dd] [C-Fc-f] [0-9A-Fa-f]{2})',
  );
  rules.add("char", '[^"\\\\\\x00-\\x1F] | "\\\\" escape');
  rules.add("string", '"\\"" char* "\\""');
  rules.add("pair", 'string ws ":" ws value ws');
  rules.add("item", "value ws");
  rules.add("object", '"{" ws (pair ("," ws pair)*)? "}"');
  rules.add("array", '"[" ws (item ("," ws item)*)? "]"');
  // The numbers leave out those that JavaScript reads as infinite or rounds.
  rules.add("fraction", '("." [0-9]{1,25})?');
  rules.add(
    "exponent",
    '[eE] ("-" ([0-9]{1,2} | [12] [0-9]{2}) | "+"? ([0-9]{1,2} | [12] [0-9]{2} | "30" [0-7]))',
  );
  const whole = naturalRule(rules, { low: 10n });
  rules.add(
    "number",
    `"-"? ("0" fraction | [1-9] fraction exponent? | ${whole} | [1-9] [0-9]{1,14} "." [0-9]{1,25})`,
  );
  rules.add("boolean", '"true" | "false"');
  rules.define(ANY_VALUE, 'object | array | string | number | boolean | "null"');
}

/** A sequence for one value as `JSON.stringify` writes it, with white space between its tokens. */
export function constant(value: unknown): string {
  const list = (items: string[]) => items.map((each) => `${each} ws `).join('"," ws ');
  if (Array.isArray(value)) return `"[" ws ${list(value.map(constant))}"]"`;
  if (!isObject(value)) return literal(JSON.stringify(value));
  const pairs = Object.entries(value).map(([key, each]) =>
    pair(literal(JSON.stringify(key)), constant(each))
  );
  return `"{" ws ${list(pairs)}"}"`;
}

/** A sequence for a member of an object: a rule or literal for its key, and the rule of its value. */
export function pair(key: string, value: string): string {
  return `${key} ws ":" ws ${value}`;
}
