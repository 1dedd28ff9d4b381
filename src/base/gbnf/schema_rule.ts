import { isObject } from "../json/is_object.ts";
import type { SchemaObject } from "../json/schema_ref.ts";
import { quote } from "../text/quote.ts";
import { alternatives, assertions, choicesOf, fittingValues } from "./alternatives.ts";
import { arrayRule, objectRule } from "./container_rules.ts";
import { ANY_VALUE, constant } from "./json_value.ts";
import { allowedTypes } from "./merge.ts";
import { numberRule } from "./number_rule.ts";
import { reportUnsupported, type Rules, type Writer } from "./rules.ts";
import { stringRule } from "./string_rule.ts";
import { NEVER } from "./terminal.ts";

/** The deepest nesting of schemas. */
const MAX_DEPTH = 100;

/** The most schemas that are expanded; a schema counts again for each reference to it. */
const MAX_PARTS = 20_000;

/** The rules for the values of each type. */
const TYPES = new Map<unknown, (writer: Writer, schema: SchemaObject) => string | undefined>([
  ["object", objectRule],
  ["array", arrayRule],
  ["string", stringRule],
  ["integer", (writer, schema) => numberRule(writer, schema, true)],
  ["number", (writer, schema) => numberRule(writer, schema, false)],
  ["boolean", () => "boolean"],
  ["null", () => '"null"'],
]);

/**
 * Writes the rules for a schema whose values stand at `path`, and returns the rule for them. Returns
 * undefined if no value fits. The rules below `arguments` are named after `name`. `root` is the
 * schema in which references are resolved, and `problems` takes what cannot be expressed.
 */
export function writeSchema(
  rules: Rules,
  schema: SchemaObject,
  { path, ...whole }: { path: string; name: string; root: unknown; problems: Set<string> },
): string | undefined {
  const shared = { ...whole, rules, names: new Map(), used: new Set(), cut: new Set(), parts: 0 };
  const writer = new SchemaWriter(shared, { path, depth: 0, open: new Set() });
  try {
    return writer.write(schema);
  } catch (error) {
    // Every level of nesting takes some of the stack.
    if (!(error instanceof RangeError)) throw error;
    writer.report("deeper nested values");
    return ANY_VALUE;
  }
}

/** The state of all writers of a schema. Schemas are compared as JSON. */
interface Shared {
  rules: Rules;
  name: string;
  root: unknown;
  /** The parts of the schema that could not be expressed, each once, with its location. */
  problems: Set<string>;
  /** The rules by their schemas. */
  names: Map<string, string>;
  /** The rules that others refer to. */
  used: Set<unknown>;
  /** The schemas of which a recursion was cut. */
  cut: Set<unknown>;
  parts: number;
}

/** The location of a schema. */
interface SchemaLocation {
  /** The path for people, such as `arguments.todos[].content`. */
  path: string;
  /** The number of schemas around it. */
  depth: number;
  /** The schemas around it of which no character has been written yet. */
  open: ReadonlySet<string>;
}

/** Writes the rules for one location, and collects what they cannot express. */
class SchemaWriter implements Writer {
  readonly rules: Rules;
  readonly root: unknown;
  readonly hint: string;
  readonly #shared: Shared;
  readonly #location: SchemaLocation;

  constructor(shared: Shared, location: SchemaLocation) {
    this.#shared = shared;
    this.#location = location;
    this.rules = shared.rules;
    this.root = shared.root;
    this.hint = location.path.replace(/^arguments/, shared.name);
  }

  mayTakeApart(): boolean {
    return this.#shared.parts++ < MAX_PARTS;
  }

  report(what: string): void {
    this.#shared.problems.add(`${this.#location.path}: ${what}`);
  }

  inside(step: string): Writer {
    const { path, depth } = this.#location;
    const location = { path: path + step, depth: depth + 1, open: new Set<string>() };
    return new SchemaWriter(this.#shared, location);
  }

  write(schema: unknown): string | undefined {
    if (schema === false) return undefined;
    const bare = isObject(schema) ? assertions(schema) : {};
    if (Object.keys(bare).length === 0) return ANY_VALUE;
    const { names, used, cut } = this.#shared;
    const { depth, open } = this.#location;
    if (depth > MAX_DEPTH || this.rules.isFull) {
      this.report(
        depth > MAX_DEPTH ? "deeper nested values" : "parts that make the grammar too large",
      );
      return ANY_VALUE;
    }
    const key = JSON.stringify(bare);
    // `a = a | b` is `b`: drop the self-reference.
    if (open.has(key)) {
      cut.add(key);
      return undefined;
    }
    const known = names.get(key);
    if (known !== undefined) {
      used.add(known);
      return known;
    }
    const name = this.rules.reserve(this.hint);
    names.set(key, name);
    const location = { ...this.#location, open: new Set([...open, key]) };
    const body = new SchemaWriter(this.#shared, location).#body(bare);
    this.rules.define(name, body ?? NEVER);
    cut.delete(key);
    if (used.has(name)) return name;
    // Unreferenced, so it is inlined. If a recursion was cut inside, the text must not be reused.
    if (body === undefined || [...open].some((each) => cut.has(each))) {
      names.delete(key);
      return body === undefined ? undefined : name;
    }
    // A rule that only names another rule is replaced by that rule.
    if (!/^[a-z0-9-]+$/.test(body)) return name;
    names.set(key, body);
    return body;
  }

  #body(schema: SchemaObject): string | undefined {
    const rules = choicesOf(this, schema)?.map((each) => this.write(each)) ??
      alternatives(this, schema).flatMap((each) => this.#values(each));
    const all = [...new Set(rules.filter((each) => each !== undefined))];
    return all.length === 0 ? undefined : all.join(" | ");
  }

  /** The rules for a schema without references and combinations, one for each kind of value. */
  #values(schema: SchemaObject): (string | undefined)[] {
    reportUnsupported(this, schema, ["not", "if", "$dynamicRef", "$recursiveRef"]);
    const values = fittingValues(this, schema);
    if (values !== undefined) return values.map(constant);
    const types = allowedTypes(schema) ?? [...TYPES.keys()];
    return types.map((type) => {
      if (type === "integer" && types.includes("number")) return undefined;
      const rule = TYPES.get(type);
      if (rule !== undefined) return rule(this, schema);
      this.report(`the unknown type ${quote(String(type))}`);
      return ANY_VALUE;
    });
  }
}
