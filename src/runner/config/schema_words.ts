import { lookupTable } from "../../base/lookup_table.ts";
import { resolveRef } from "../../base/json/schema_ref.ts";
import schema from "../../../toolcall.schema.json" with { type: "json" };

/** A part of the configuration's schema, with the keywords that it uses. */
export interface SchemaPart {
  /** A reference to another part. */
  $ref?: string;
  /** The type of a value. */
  type?: string;
  /** The allowed values. */
  enum?: unknown[];
  /** The alternatives of a value. */
  anyOf?: SchemaPart[];
  /** The alternatives of an object. */
  oneOf?: { required: string[] }[];
  /** The keys of an object. */
  properties?: Record<string, SchemaPart>;
  /** The items of a list. */
  items?: SchemaPart;
  /** The values of the other keys of an object. */
  additionalProperties?: boolean | SchemaPart;
  /** The least number. */
  minimum?: number;
  /** The greatest number. */
  maximum?: number;
  /** The fewest characters of a string. */
  minLength?: number;
}

/** The schema of the value at the tokens of a pointer. */
export function schemaAt(tokens: readonly string[]): SchemaPart {
  return tokens.reduce<SchemaPart>((part, token) => {
    const inner = choices(part).flatMap(({ properties = {}, additionalProperties, items }) => {
      const others = typeof additionalProperties === "object" ? additionalProperties : undefined;
      const item = /^\d+$/.test(token) ? items : undefined;
      return choices(Object.hasOwn(properties, token) ? properties[token] : others ?? item);
    });
    return inner.length === 1 ? inner[0]! : { anyOf: inner };
  }, schema);
}

/** The keys that the schema knows there, if it knows all. */
export function schemaKeys(part: SchemaPart): string[] {
  return choices(part).flatMap(({ properties = {} }) => Object.keys(properties));
}

/** The allowed values in words: `true, false, or a list of strings`. */
export function describeSchema(part: SchemaPart): string {
  return joinWords([...new Set(choices(part).flatMap(alternatives))], "or");
}

/** Words as a list with "and" or "or" before the last. */
export function joinWords(words: readonly string[], joint: "and" | "or"): string {
  if (words.length < 3) return words.join(` ${joint} `);
  return `${words.slice(0, -1).join(", ")}, ${joint} ${words.at(-1)}`;
}

/** The alternatives of a part, references followed. */
function choices(part: SchemaPart | undefined): SchemaPart[] {
  if (part === undefined) return [];
  if (part.$ref !== undefined) {
    return choices(resolveRef(schema, part.$ref) as SchemaPart);
  }
  return part.anyOf === undefined ? [part] : part.anyOf.flatMap(choices);
}

/** Lists in words, by the type of their items. */
const LISTS = lookupTable<string>({
  string: "a list of strings",
  integer: "a list of whole numbers",
  object: "a list of objects",
});

function alternatives(part: SchemaPart): string[] {
  if (part.enum !== undefined) return part.enum.map((value) => JSON.stringify(value));
  switch (part.type) {
    case "boolean":
      return ["true", "false"];
    case "integer":
      return [`a whole number from ${part.minimum} to ${part.maximum}`];
    case "string":
      return [part.minLength === undefined ? "a string" : "a non-empty string"];
    case "array":
      return [LISTS[part.items?.type ?? "string"] ?? "a list"];
    default:
      return [objectWords(part)];
  }
}

function objectWords({ properties, additionalProperties: others }: SchemaPart): string {
  const keys = Object.keys(properties ?? {});
  if (keys.length > 0 && keys.length <= 3) return `an object of ${joinWords(keys, "and")}`;
  const isOfTexts = typeof others === "object" && others.type === "string";
  return isOfTexts ? "an object of strings" : "an object";
}
