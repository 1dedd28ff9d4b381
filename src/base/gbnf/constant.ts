import { isObject } from "../json/is_object.ts";
import { space } from "./any_value.ts";
import { literal } from "./terminal.ts";
import type { Writer } from "./writer.ts";

/** A sequence for one value as `JSON.stringify` writes it, with space where other values have it. */
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
