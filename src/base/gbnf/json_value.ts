import { anyNumber } from "./number_rule.ts";
import type { Rules } from "./rules.ts";
import { anyString } from "./string_rule.ts";
import type { Writer } from "./writer.ts";
import { isObject } from "../json/is_object.ts";
import { literal } from "./terminal.ts";

/** The rule for every value of JSON, once {@link writeAnyValue} has written it. */
export const ANY_VALUE = "value";

/** The rule for white space between JSON tokens. It is bounded, because some models never stop emitting it. */
export function space({ rules }: Pick<Writer, "rules">): string {
  return rules.add("ws", '(" " | "\\n" [ \\t]{0,60})?');
}

/** The rule for `true` and `false`. */
export function boolean({ rules }: Pick<Writer, "rules">): string {
  return rules.add("boolean", '"true" | "false"');
}

/** Writes the rule for every value of JSON into rules that are still empty. */
export function writeAnyValue(rules: Rules): void {
  const writer = { rules };
  rules.reserve(ANY_VALUE);
  const ws = space(writer);
  const string = anyString(writer);
  const pair = rules.add("pair", `${string} ${ws} ":" ${ws} ${ANY_VALUE} ${ws}`);
  const item = rules.add("item", `${ANY_VALUE} ${ws}`);
  const object = rules.add("object", `"{" ${ws} (${pair} ("," ${ws} ${pair})*)? "}"`);
  const array = rules.add("array", `"[" ${ws} (${item} ("," ${ws} ${item})*)? "]"`);
  const others = [string, anyNumber(writer), boolean(writer), '"null"'];
  rules.define(ANY_VALUE, [object, array, ...others].join(" | "));
}

/** A sequence for one value as `JSON.stringify` writes it, with white space between its tokens. */
export function constant(writer: Pick<Writer, "rules">, value: unknown): string {
  const ws = space(writer);
  const list = (items: string[]) => items.map((each) => `${each} ${ws} `).join(`"," ${ws} `);
  if (Array.isArray(value)) {
    return `"[" ${ws} ${list(value.map((each) => constant(writer, each)))}"]"`;
  }
  if (!isObject(value)) return literal(JSON.stringify(value));
  const pairs = Object.entries(value).map(([key, each]) =>
    `${literal(JSON.stringify(key))} ${ws} ":" ${ws} ${constant(writer, each)}`
  );
  return `"{" ${ws} ${list(pairs)}"}"`;
}
