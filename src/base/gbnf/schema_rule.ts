import type { SchemaObject } from "../json/schema_ref.ts";
import { isObject } from "../json/is_object.ts";
import { quote } from "../text/quote.ts";
import { alternatives, assertions, choicesOf } from "./alternatives.ts";
import { ANY_VALUE, boolean, constant } from "./json_value.ts";
import { arrayRule } from "./array_rule.ts";
import { fitsSchema } from "./fits.ts";
import { allowedTypes, allowedValues } from "./merge.ts";
import { numberRule } from "./number_rule.ts";
import { objectRule } from "./object_rule.ts";
import type { Rules } from "./rules.ts";
import { stringRule } from "./string_rule.ts";
import { NEVER } from "./terminal.ts";
import { reportUnsupported, type SchemaLocation, type Writer } from "./writer.ts";

/** The deepest nesting of schemas. */
const MAX_DEPTH = 100;

/** The most schemas that are expanded; a schema counts again for each reference to it. */
const MAX_PARTS = 20_000;

const TYPES = ["object", "array", "string", "number", "boolean", "null"];

/** Writes rules for the parts of one schema, and collects what they cannot express. */
export class SchemaWriter implements Writer {
  /** The parts of the schema that could not be expressed, each once, with its location. */
  readonly problems = new Set<string>();
  #names = new Map<string, string>();
  #used = new Set<string>();
  #parts = 0;
  #cut = new Set<string>();

  readonly #tool: { name: string; root: unknown };

  /** Takes the rules to add to, a tool's name, and the schema in which references are resolved. */
  constructor(readonly rules: Rules, tool: { name: string; root: unknown }) {
    this.#tool = tool;
  }

  /** See {@link Writer.mayTakeApart}. */
  mayTakeApart(): boolean {
    return this.#parts++ < MAX_PARTS;
  }

  /** See {@link Writer.hint}. */
  hint({ path }: SchemaLocation): string {
    return path.replace(/^arguments/, this.#tool.name);
  }

  /** Notes it among the problems. */
  report({ path }: SchemaLocation, what: string): void {
    this.problems.add(`${path}: ${what}`);
  }

  /** See {@link Writer.write}. */
  write(schema: unknown, location: SchemaLocation): string | undefined {
    if (schema === false) return undefined;
    const bare = isObject(schema) ? assertions(schema) : {};
    if (Object.keys(bare).length === 0) return ANY_VALUE;
    if (location.depth > MAX_DEPTH || this.rules.isFull) {
      this.report(
        location,
        location.depth > MAX_DEPTH ? "what lies so deep" : "what makes the grammar so large",
      );
      return ANY_VALUE;
    }
    const key = JSON.stringify(bare);
    // `a = a | b` is `b`: drop the self-reference.
    if (location.open.has(key)) {
      this.#cut.add(key);
      return undefined;
    }
    const known = this.#names.get(key);
    if (known !== undefined) {
      this.#used.add(known);
      return known;
    }
    const name = this.rules.reserve(this.hint(location));
    this.#names.set(key, name);
    const body = this.#body(bare, { ...location, open: new Set([...location.open, key]) });
    this.rules.define(name, body ?? NEVER);
    this.#cut.delete(key);
    if (this.#used.has(name)) return name;
    // Unreferenced, so it is inlined. If a recursion was cut inside, the text must not be reused.
    if (body === undefined || [...location.open].some((each) => this.#cut.has(each))) {
      this.#names.delete(key);
      return body === undefined ? undefined : name;
    }
    return this.#short(key, { name, body });
  }

  /** Replaces a rule that only names another rule by that rule. */
  #short(key: string, { name, body }: { name: string; body: string }): string {
    if (!/^[a-z0-9-]+$/.test(body)) return name;
    this.#names.set(key, body);
    return body;
  }

  #body(schema: SchemaObject, location: SchemaLocation): string | undefined {
    const at = { root: this.#tool.root, location };
    const choices = choicesOf(this, schema, at);
    const rules = choices?.map((each) => this.write(each, location)) ??
      alternatives(this, schema, at).flatMap((each) => this.#values(each, location));
    const all = [...new Set(rules.filter((each) => each !== undefined))];
    return all.length === 0 ? undefined : all.join(" | ");
  }

  /** The rules for a schema without references and combinations, one for each kind of value. */
  #values(schema: SchemaObject, location: SchemaLocation): string[] {
    reportUnsupported(this, schema, {
      location,
      keywords: ["not", "if", "$dynamicRef", "$recursiveRef"],
    });
    const values = allowedValues(schema);
    if (values !== undefined) {
      return values.filter((each) =>
        fitsSchema(each, schema, () => this.report(location, '"enum" beside others'))
      )
        .map((each) => constant(this, each));
    }
    const types = allowedTypes(schema) ?? TYPES;
    return types.flatMap((type) => {
      if (type === "integer" && types.includes("number")) return [];
      return this.#typed(schema, { type, location }) ?? [];
    });
  }

  #typed(
    schema: SchemaObject,
    { type, location }: { type: string; location: SchemaLocation },
  ): string | undefined {
    switch (type) {
      case "object":
        return objectRule(this, schema, location);
      case "array":
        return arrayRule(this, schema, location);
      case "string":
        return stringRule(this, schema, location);
      case "integer":
      case "number":
        return numberRule(this, schema, { location, isInteger: type === "integer" });
      case "boolean":
        return boolean(this);
      case "null":
        return '"null"';
      default:
        this.report(location, `the unknown type ${quote(String(type))}`);
        return ANY_VALUE;
    }
  }
}
