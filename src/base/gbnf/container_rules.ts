import { isObject } from "../json/is_object.ts";
import type { SchemaObject } from "../json/schema_ref.ts";
import { complement } from "./code_points.ts";
import { pair } from "./json_value.ts";
import { itemsOf, requiredNames } from "./merge.ts";
import { boundsOf, numberOf, repeat, reportUnsupported, type Rules, type Writer } from "./rules.ts";
import { characters, literal, stringForms } from "./terminal.ts";

/** The rule for the arrays that fit the schema; undefined if no array fits. */
export function arrayRule(writer: Writer, schema: SchemaObject): string | undefined {
  const { rules } = writer;
  reportUnsupported(writer, schema, ["uniqueItems", "contains", "unevaluatedItems"]);
  const bounds = boundsOf(writer, schema, ["minItems", "maxItems"]);
  const { first, others = true } = itemsOf(schema);
  const item = (each: unknown) => writer.inside("[]").write(each);
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
    const more = rules.add("next-item", `"," ws ${other} ws`);
    const ahead = Math.max(1, leading.length);
    const times = repeat(rules, more, { min: Math.max(0, bounds.min - ahead), max: most - ahead });
    tail = times === '""' ? "" : times;
    if (leading.length === 0) {
      const items = `${other} ws ${tail}`.trimEnd();
      return rules.add("array", `"[" ws ${bounds.min > 0 ? items : `(${items})?`} "]"`);
    }
  }
  for (let at = leading.length - 1; at >= 0; at--) {
    const items = `${at === 0 ? "" : '"," ws '}${leading[at]} ws ${tail}`.trimEnd();
    tail = rules.add("items", at < bounds.min ? items : `(${items})?`);
  }
  return rules.add("array", `"[" ws ${tail} "]"`);
}

/**
 * The rule for the objects that fit the schema; undefined if no object fits. The declared properties
 * come in the order of their declaration, then the others. Each property takes at most two rules,
 * whichever optional properties are left out.
 */
export function objectRule(writer: Writer, schema: SchemaObject): string | undefined {
  const { rules } = writer;
  const members = membersOf(writer, schema);
  if (members === undefined) return undefined;
  const { declared, others } = members;
  const fewest = declared.filter(({ isRequired }) => isRequired).length;
  const isTooFew = (numberOf(schema, "minProperties") ?? 0) > fewest;
  const isTooMany = others !== undefined ||
    (numberOf(schema, "maxProperties") ?? Infinity) < declared.length;
  reportUnsupported(writer, schema, [
    ...(isTooFew ? ["minProperties"] : []),
    ...(isTooMany ? ["maxProperties"] : []),
    ...["patternProperties", "propertyNames", "dependentRequired", "dependentSchemas"],
    ...["dependencies", "unevaluatedProperties"],
  ]);
  const more = others === undefined ? "" : `${rules.add("next-pair", `"," ws ${others} ws`)}*`;
  // From the last property to the first: `next` follows another property, `start` follows the brace.
  let next = more;
  let start = others === undefined ? '""' : `(${others} ws ${more})?`;
  for (const { rule, isRequired } of declared.toReversed()) {
    const first = `${rule} ws ${next}`.trimEnd();
    start = isRequired
      ? first
      : `${first} | ${start === '""' ? start : rules.add("members", start)}`;
    next = rules.add(
      "more-members",
      isRequired ? `"," ws ${first}` : `("," ws ${rule} ws)? ${next}`.trimEnd(),
    );
  }
  if (start === '""') return rules.add("object", '"{" ws "}"');
  return rules.add(`${writer.hint}-object`, `"{" ws ${rules.add("members", start)} "}"`);
}

/** The rules of the declared properties and of any other one; undefined if a required one cannot be. */
function membersOf(
  writer: Writer,
  schema: SchemaObject,
): { declared: { rule: string; isRequired: boolean }[]; others: string | undefined } | undefined {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = requiredNames(schema);
  // Patterns of keys are not expressed, so a key that could match one admits any value.
  const additional = schema["patternProperties"] === undefined
    ? schema["additionalProperties"] ?? true
    : true;
  const keys = [...new Set([...Object.keys(properties), ...required])];
  const declared: { rule: string; isRequired: boolean }[] = [];
  for (const key of keys) {
    const own = Object.hasOwn(properties, key) ? properties[key] : additional;
    const value = writer.inside(step(key)).write(own);
    const isRequired = required.includes(key);
    if (value === undefined && isRequired) return undefined;
    if (value === undefined) continue;
    const rule = writer.rules.add("pair", pair(literal(JSON.stringify(key)), value));
    declared.push({ rule, isRequired });
  }
  const other = writer.inside(".*").write(additional);
  if (other === undefined) return { declared, others: undefined };
  const others = writer.rules.add("pair", pair(otherKeys(writer.rules, keys), other));
  return { declared, others };
}

function step(key: string): string {
  return /^[\w-]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

/**
 * The rule for the keys that are not among `names`, with their quotes. Each key has only one
 * spelling, because another escape could spell one of the names.
 */
function otherKeys(rules: Rules, names: readonly string[]): string {
  return rules.add("other-key", `"\\"" ${otherEnds(rules, names.map((name) => [...name]))} "\\""`);
}

/** The rule for the texts that are not among `names`, which are given as their characters. */
function otherEnds(rules: Rules, names: readonly (readonly string[])[]): string {
  const next = Map.groupBy(names.filter(({ length }) => length > 0), ([first]) => first!);
  const any = rules.add("key-char", stringForms(complement([])).join(" | "));
  const taken = complement(characters(next.keys()));
  const other = rules.add("key-char", stringForms(taken).join(" | "));
  const ways = [
    `${other} ${any}*`,
    ...[...next].map(([character, all]) => {
      const ends = otherEnds(rules, all.map(([, ...rest]) => rest));
      return `${literal(JSON.stringify(character).slice(1, -1))} ${ends}`;
    }),
    ...(names.some(({ length }) => length === 0) ? [] : ['""']),
  ];
  return rules.add("key-rest", ways.join(" | "));
}
