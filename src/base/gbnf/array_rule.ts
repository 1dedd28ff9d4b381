import type { SchemaObject } from "../json/schema_ref.ts";
import { space } from "./json_value.ts";
import { MAX_TIMES, repeat } from "./rules.ts";
import { boundsOf, inside, reportUnsupported, type SchemaLocation, type Writer } from "./writer.ts";

/** The rule for the arrays that fit the schema; undefined if no array fits. */
export function arrayRule(
  writer: Writer,
  schema: SchemaObject,
  location: SchemaLocation,
): string | undefined {
  const { rules } = writer;
  reportUnsupported(writer, schema, {
    location,
    keywords: ["uniqueItems", "contains", "unevaluatedItems"],
  });
  const bounds = boundsOf(writer, schema, {
    location,
    keywords: ["minItems", "maxItems"],
    most: MAX_TIMES,
  });
  const { first, others } = itemsOf(schema);
  const ws = space(writer);
  const item = (each: unknown) => writer.write(each, inside(location, "[]"));
  const leading: string[] = [];
  // If no value fits an item, no array is longer.
  let most = bounds.max;
  for (const each of first.slice(0, most)) {
    const rule = item(each);
    if (rule === undefined) most = leading.length;
    if (rule === undefined) break;
    leading.push(rule);
  }
  const other = most > leading.length ? item(others) : undefined;
  if (other === undefined) most = Math.min(most, leading.length);
  if (bounds.min > most) return undefined;
  let tail = "";
  if (other !== undefined) {
    const more = rules.add("next-item", `"," ${ws} ${other} ${ws}`);
    const ahead = Math.max(1, leading.length);
    const times = repeat(rules, more, { min: Math.max(0, bounds.min - ahead), max: most - ahead });
    tail = times === '""' ? "" : times;
    if (leading.length === 0) {
      const items = `${other} ${ws} ${tail}`.trimEnd();
      return rules.add("array", `"[" ${ws} ${bounds.min > 0 ? items : `(${items})?`} "]"`);
    }
  }
  for (let at = leading.length - 1; at >= 0; at--) {
    const items = `${at === 0 ? "" : `"," ${ws} `}${leading[at]} ${ws} ${tail}`.trimEnd();
    tail = rules.add("items", at < bounds.min ? items : `(${items})?`);
  }
  return rules.add("array", `"[" ${ws} ${tail} "]"`);
}

/** The schemas of the first items and of the items after them, in the forms of all drafts. */
function itemsOf(schema: SchemaObject): { first: readonly unknown[]; others: unknown } {
  const { prefixItems, items, additionalItems } = schema;
  if (Array.isArray(items)) return { first: items, others: additionalItems ?? true };
  return { first: Array.isArray(prefixItems) ? prefixItems : [], others: items ?? true };
}
