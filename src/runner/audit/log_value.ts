import { isInexactNumber } from "../../base/json/inexact_number.ts";
import { isObject } from "../../base/json/is_object.ts";
import { resolveRef } from "../../base/json/schema_ref.ts";
import { type Redactor, redactor } from "../../base/text/redact.ts";
import { isSecretName, redactPatterns } from "../../base/text/secret_patterns.ts";

/** The most characters of one string, of one name, and of all strings together. */
const [MAX_TEXT, MAX_NAME, MAX_ALL] = [4_096, 200, 32_768];
/** The most items of a list or object, and the most levels. */
const [MAX_ITEMS, MAX_LEVELS] = [100, 12];
/** The characters after the kept part that are searched for secrets, and the longest found there. */
const [MARGIN, MAX_SECRET] = [12_288, 8_192];
/** The most parts of a schema that are followed. */
const MAX_PARTS = 32;

/** The replacement for a secret in the log. */
const MASK = "[masked]";
/** A shorter value of a variable occurs in unrelated words. */
const MIN_SECRET = 8;

/**
 * Returns a function that removes secrets from a string for the log: the values of secret variables
 * of `environment`, and whatever looks like a secret.
 */
export function logRedactor(environment: Readonly<Record<string, string>>): Redactor {
  const secrets = Object.entries(environment).filter(([name]) => isSecretName(name));
  const options = { mask: MASK, minLength: MIN_SECRET, byWord: false };
  const redact = redactor(secrets.map(([, value]) => value), options);
  return (text) => redactPatterns(redact(text), MASK);
}

/**
 * Copies a JSON value for the log: bounded, and without secrets. A value that is secret by its name
 * or its JSON Schema (`writeOnly`, the format `password`) is masked whole, every other string by
 * `mask`. A note replaces each part that is left out.
 */
export function logValue(
  value: unknown,
  { mask, schema }: { mask: Redactor; schema?: unknown },
): unknown {
  let left = MAX_ALL;
  const text = (given: string, most = MAX_TEXT): string => {
    if (left <= 0) return "[omitted]";
    const shown = redactAndCut(given, { mask, most: Math.min(most, left) });
    left -= shown.length + 4;
    return shown;
  };
  const copy = (given: unknown, schemas: readonly Schema[], level: number): unknown => {
    if (schemas.some(marksSecret) && canBeSecret(given)) return MASK;
    if (typeof given === "string") return text(given);
    if (isInexactNumber(given)) return text(given.rawJSON);
    const isFull = left <= 0;
    // Empty lists take space too.
    left -= 8;
    if (typeof given !== "object" || given === null) return given;
    if (isFull) return "[omitted]";
    if (level >= MAX_LEVELS) return "[omitted: nested too deeply]";
    if (!Array.isArray(given)) return object({ ...given }, schemas, level);
    const copied = given.slice(0, MAX_ITEMS).map((item, place) =>
      copy(item, schemas.flatMap((each) => parts(itemOf(each, place), schema)), level + 1)
    );
    const more = given.length - MAX_ITEMS;
    return more > 0 ? [...copied, `[omitted: ${more} more]`] : copied;
  };
  const object = (
    given: Record<string, unknown>,
    schemas: readonly Schema[],
    level: number,
  ): Record<string, unknown> => {
    const names = Object.keys(given);
    // In a list of headers or variables, the name of each is beside its value.
    const isNamed = [given["name"], given["header"], given["key"]].some((name) =>
      typeof name === "string" && isSecretName(name)
    );
    const copied = new Map<string, unknown>();
    // Names that are equal after truncation or masking must not overwrite each other.
    const add = (name: string, value: unknown) => {
      let own = name;
      for (let place = 2; copied.has(own); place++) own = `${name} (${place})`;
      copied.set(own, value);
    };
    for (const name of names.slice(0, MAX_ITEMS)) {
      const own = schemas.flatMap((each) => parts(propertyOf(each, name), schema));
      const isSecret = isSecretName(name) || isNamed && name === "value";
      const inner = isSecret && canBeSecret(given[name]) ? MASK : copy(given[name], own, level + 1);
      add(text(name, MAX_NAME), inner);
    }
    const more = names.length - MAX_ITEMS;
    if (more > 0) add("…", `[omitted: ${more} more]`);
    return Object.fromEntries(copied);
  };
  return copy(value, parts(schema, schema), 0);
}

/** Redacts a string and truncates it to `most` characters; a truncated string ends with its length. */
export function redactAndCut(
  given: string,
  { mask, most }: { mask: Redactor; most: number },
): string {
  const shown = mask(given.slice(0, most + MARGIN));
  const isWhole = given.length <= most + MARGIN;
  if (isWhole && shown.length <= most) return shown;
  // A secret at the end of the searched part can be incomplete and unrecognised: drop that end.
  const end = isWhole ? most : Math.max(0, Math.min(most, shown.length - MAX_SECRET));
  return `${shown.slice(0, end)}… [cut: ${given.length} characters in all]`;
}

function canBeSecret(value: unknown): boolean {
  return value !== null && value !== "" && typeof value !== "boolean";
}

type Schema = Record<string, unknown>;

function marksSecret({ writeOnly, format }: Schema): boolean {
  return writeOnly === true || format === "password";
}

function propertyOf({ properties, additionalProperties }: Schema, name: string): unknown {
  const own = isObject(properties) && Object.hasOwn(properties, name);
  return own ? properties[name] : additionalProperties;
}

function itemOf({ items, prefixItems }: Schema, place: number): unknown {
  return Array.isArray(prefixItems) && place < prefixItems.length ? prefixItems[place] : items;
}

/** Returns a schema and the schemas that it combines. References are resolved in `root`. */
function parts(schema: unknown, root: unknown): Schema[] {
  const found = new Set<Schema>();
  const waiting = [schema];
  while (waiting.length > 0 && found.size < MAX_PARTS) {
    const next = waiting.pop();
    if (!isObject(next) || found.has(next)) continue;
    found.add(next);
    const { $ref, allOf, anyOf, oneOf } = next;
    if (typeof $ref === "string") waiting.push(resolveRef(root, $ref));
    for (const each of [allOf, anyOf, oneOf]) if (Array.isArray(each)) waiting.push(...each);
  }
  return [...found];
}
