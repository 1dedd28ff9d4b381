import type { SchemaObject } from "../json/schema_ref.ts";
import { isObject } from "../json/is_object.ts";
import { space } from "./json_value.ts";
import { requiredNames } from "./merge.ts";
import { literal, stringForms } from "./terminal.ts";
import { inside, numberOf, reportUnsupported, type SchemaLocation, type Writer } from "./writer.ts";
import { complement, union } from "./code_points.ts";
import type { Rules } from "./rules.ts";

/** A property of an object: the rule of its key and value, and whether it is required. */
interface Member {
  rule: string;
  isRequired: boolean;
}

/**
 * The rule for the objects that fit the schema; undefined if no object fits. The declared properties
 * come in the order of their declaration, then the others. Each property takes at most two rules,
 * whichever optional properties are left out.
 */
export function objectRule(
  writer: Writer,
  schema: SchemaObject,
  location: SchemaLocation,
): string | undefined {
  const { rules } = writer;
  const ws = space(writer);
  const members = membersOf(writer, schema, location);
  if (members === undefined) return undefined;
  const { declared, others } = members;
  const fewest = declared.filter(({ isRequired }) => isRequired).length;
  reportUnsupported(writer, schema, {
    location,
    keywords: [
      ...(numberOf(schema, "minProperties") ?? 0) > fewest ? ["minProperties"] : [],
      ...others !== undefined || (numberOf(schema, "maxProperties") ?? Infinity) < declared.length
        ? ["maxProperties"]
        : [],
      ...["patternProperties", "propertyNames", "dependentRequired", "dependentSchemas"],
      ...["dependencies", "unevaluatedProperties"],
    ],
  });
  const more = others === undefined
    ? ""
    : `${rules.add("next-pair", `"," ${ws} ${others} ${ws}`)}*`;
  // From the last property to the first: `next` follows another property, `start` follows the brace.
  let next = more;
  let start = others === undefined ? '""' : `(${others} ${ws} ${more})?`;
  for (const { rule, isRequired } of declared.toReversed()) {
    const first = `${rule} ${ws} ${next}`.trimEnd();
    start = isRequired
      ? first
      : `${first} | ${start === '""' ? start : rules.add("members", start)}`;
    const after = `"," ${ws} ${first}`;
    next = rules.add(
      "more-members",
      isRequired ? after : `${`("," ${ws} ${rule} ${ws})?`} ${next}`.trimEnd(),
    );
  }
  if (start === '""') return rules.add("object", `"{" ${ws} "}"`);
  return rules.add(
    `${writer.hint(location)}-object`,
    `"{" ${ws} ${rules.add("members", start)} "}"`,
  );
}

function membersOf(
  writer: Writer,
  schema: SchemaObject,
  location: SchemaLocation,
): { declared: Member[]; others: string | undefined } | undefined {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = requiredNames(schema);
  // Patterns of keys are not expressed, so a key that could match one admits any value.
  const additional = schema["patternProperties"] === undefined
    ? schema["additionalProperties"] ?? true
    : true;
  const keys = [...new Set([...Object.keys(properties), ...required])];
  const declared: Member[] = [];
  for (const key of keys) {
    const own = Object.hasOwn(properties, key) ? properties[key] : additional;
    const value = writer.write(own, inside(location, step(key)));
    const isRequired = required.includes(key);
    if (value === undefined && isRequired) return undefined;
    if (value !== undefined) declared.push({ rule: pair(writer, keyText(key), value), isRequired });
  }
  const other = writer.write(additional, inside(location, ".*"));
  return {
    declared,
    others: other && pair(writer, otherKeys(writer.rules, keys), other),
  };
}

function keyText(key: string): string {
  return literal(JSON.stringify(key));
}

function pair(writer: Writer, key: string, value: string): string {
  const ws = space(writer);
  return writer.rules.add("pair", `${key} ${ws} ":" ${ws} ${value}`);
}

function step(key: string): string {
  return /^[\w-]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

/** A node of the trie of names: the next characters, and whether a name ends here. */
interface Branch {
  ends: boolean;
  next: Map<string, Branch>;
}

/**
 * The rule for the keys that are not among `names`, with their quotes. Each key has only one
 * spelling, because another escape could spell one of the names.
 */
function otherKeys(rules: Rules, names: readonly string[]): string {
  const root: Branch = { ends: false, next: new Map() };
  for (const name of names) {
    let at = root;
    for (const character of name) {
      const next = at.next.get(character) ?? { ends: false, next: new Map() };
      at.next.set(character, next);
      at = next;
    }
    at.ends = true;
  }
  return rules.add("other-key", `"\\"" ${rest(rules, root)} "\\""`);
}

function rest(rules: Rules, { ends, next }: Branch): string {
  const any = rules.add("key-char", stringForms(complement([])).join(" | "));
  const taken = union([...next.keys()].map((each) => point(each)));
  const other = rules.add("key-char", stringForms(complement(taken)).join(" | "));
  const ways = [
    `${other} ${any}*`,
    ...[...next].map(([character, branch]) =>
      `${literal(JSON.stringify(character).slice(1, -1))} ${rest(rules, branch)}`
    ),
    ...(ends ? [] : ['""']),
  ];
  return rules.add("key-rest", ways.join(" | "));
}

function point(character: string): readonly [number, number] {
  const value = character.codePointAt(0)!;
  return [value, value];
}
