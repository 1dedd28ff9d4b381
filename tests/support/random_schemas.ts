/** Random schemas that a grammar can express, and values for them, from a seed. */

type Schema = Record<string, unknown>;

/** Pseudorandom numbers, which are the same for the same seed. */
export class Dice {
  #state: number;
  constructor(seed: number) {
    this.#state = seed;
  }

  /** Returns an integer from 0 to `sides` - 1. */
  below(sides: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  }

  /** Returns one of the choices. */
  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!;
  }

  /** Returns true with the probability 1 / `sides`. */
  once(sides: number): boolean {
    return this.below(sides) === 0;
  }
}

const CHARACTERS = [...'abcxyz019 _-/."\\\n\t\u0001é€😀'];

/** Keys that no schema declares. */
const OTHER_KEYS = ["z", "", 'zz"', "g", "x", "y"];

const PATTERNS = [
  ...["^[a-c]+$", "^/", "x$", "^(ab|c)*$", "^\\d{1,3}(\\.\\d+)?$", "a|b", "^[^a/]{2,4}$", "\\s"],
  ...[
    "^a.c",
    "^\\w+-\\w+$",
    "^(?:x|yz){2}$",
    '^[\\w"\\\\-]*$',
    "é",
    "^a?b?c?$",
    "^a$|^b",
    "^[^\\d]?$",
  ],
];

/** Returns a schema of at most this depth. Declared keys are in alphabetical order. */
export function randomSchema(dice: Dice, depth = 3): unknown {
  const kind = dice.below(depth > 0 ? 13 : 8);
  switch (kind) {
    case 0:
      return {
        type: "string",
        ...(dice.once(2) && { minLength: dice.below(4) }),
        ...(dice.once(2) && { maxLength: 3 + dice.below(4) }),
      };
    case 1:
      return { type: "string", pattern: dice.of(PATTERNS) };
    case 2:
      return {
        type: "integer",
        ...(dice.once(2) && { [dice.of(["minimum", "exclusiveMinimum"])]: bound(dice, -200) }),
        ...(dice.once(2) && { [dice.of(["maximum", "exclusiveMaximum"])]: bound(dice, 5) }),
      };
    case 3:
      return {
        type: "number",
        ...(dice.once(2) && { [dice.of(["minimum", "exclusiveMinimum"])]: bound(dice, -200) / 8 }),
        ...(dice.once(2) && { [dice.of(["maximum", "exclusiveMaximum"])]: bound(dice, 5) / 8 }),
      };
    case 4:
      return { type: dice.of(["boolean", "null", ["boolean", "string"], ["null", "integer"]]) };
    case 5:
      return { enum: ["a", 'q"', 7, null, { k: [1] }].slice(dice.below(4)) };
    case 6:
      return { const: dice.of<unknown>(["c", 1, false, [1, "x"]]) };
    case 7:
      return dice.of<unknown>([{}, true, { minLength: 2 }, { minimum: 3 }, {
        $ref: "#/$defs/tree",
      }]);
    case 8:
      return {
        type: "array",
        items: randomSchema(dice, depth - 1),
        ...(dice.once(2) && { minItems: dice.below(3) }),
        ...(dice.once(2) && { maxItems: 1 + dice.below(4) }),
        ...(dice.once(4) && { prefixItems: [randomSchema(dice, 0), randomSchema(dice, 0)] }),
      };
    case 9:
      // Only one schema may be of objects: another may have the same keys in another order.
      return { anyOf: [randomSchema(dice, depth - 1), randomSchema(dice, 0)] };
    case 10:
      return {
        allOf: [
          randomObject(dice, { keys: ["a", "ab"], depth: depth - 1 }),
          {
            ...randomObject(dice, { keys: ["b", "c"], depth: depth - 1 }),
            additionalProperties: true,
          },
        ],
      };
    default:
      return randomObject(dice, { keys: ["a", "ab", "b", 'd"e', "f"], depth });
  }
}

function bound(dice: Dice, from: number): number {
  return from + dice.below(dice.of([10, 300, 20_000]));
}

/** Returns a schema of objects. */
export function randomObject(
  dice: Dice,
  { keys, depth }: { keys: readonly string[]; depth: number },
): Schema {
  const chosen = keys.filter(() => !dice.once(3));
  const properties = Object.fromEntries(chosen.map((key) => [key, randomSchema(dice, depth - 1)]));
  const more = dice.below(3);
  return {
    type: "object",
    properties,
    required: chosen.filter(() => dice.once(2)),
    ...(more === 0 && { additionalProperties: false }),
    ...(more === 1 && { additionalProperties: randomSchema(dice, 0) }),
  };
}

const KEYWORDS = [
  ...["type", "enum", "const", "properties", "additionalProperties", "required", "items"],
  ...[
    "prefixItems",
    "additionalItems",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "pattern",
  ],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "allOf", "anyOf", "oneOf"],
  ...["$ref", "$defs", "not", "minProperties", "maxProperties", "patternProperties", "multipleOf"],
];

/** Returns keywords of schemas with arbitrary values, as a server could send them. */
export function randomNonsense(dice: Dice, depth = 4): Schema {
  const value = (): unknown => {
    const kind = dice.below(depth > 0 ? 14 : 10);
    if (kind === 10) return Array.from({ length: dice.below(4) }, value);
    if (kind > 10) return randomNonsense(dice, depth - 1);
    return dice.of<unknown>([
      ...[null, true, false, 0, 1, -1, 1.5, 1e300, 1e-300, "", "string", "object", "array"],
      ...["integer", "#", "#/$defs/a", "#/properties/a", "(", "[^\\s\\S]", "^a{0,5000}$", "\ud800"],
      ...[["object"], ["a", 5], [], {}, "constructor", "__proto__"],
    ]);
  };
  const keys = Array.from({ length: 1 + dice.below(4) }, () => dice.of(KEYWORDS));
  const named = ["properties", "$defs", "patternProperties"];
  return Object.fromEntries(keys.map((key) => [
    key,
    named.includes(key) && dice.once(2) ? { a: value(), constructor: value() } : value(),
  ]));
}

/** The value of `#/$defs`: a schema that refers to itself. */
export const definitions = {
  tree: {
    type: "object",
    properties: {
      left: { anyOf: [{ type: "null" }, { $ref: "#/$defs/tree" }] },
      value: { type: "integer", minimum: 0 },
    },
    required: ["value"],
    additionalProperties: false,
  },
};

/** Returns a value that is likely to be valid, except for one in `wrong` of its parts. */
export function randomValue(
  dice: Dice,
  { schema, wrong }: { schema: unknown; wrong: number },
): unknown {
  if (typeof schema === "boolean" || dice.once(wrong)) return anything(dice, 2);
  const part = (each: unknown) => randomValue(dice, { schema: each, wrong });
  const found = schema as Schema & { [key in "anyOf" | "allOf" | "enum"]?: unknown[] };
  if (found.anyOf) return part(dice.of(found.anyOf));
  if (found.allOf) {
    const parts = found.allOf.map(part);
    const other = parts.find((each) =>
      typeof each !== "object" || each === null || Array.isArray(each)
    );
    if (other !== undefined) return other;
    const entries = Object.entries(Object.assign({}, ...parts));
    return Object.fromEntries(
      [false, true].flatMap((isOther) =>
        entries.filter(([key]) => OTHER_KEYS.includes(key) === isOther)
      ),
    );
  }
  if (found.enum) return dice.of(found.enum);
  if ("const" in found) return found["const"];
  if (found["$ref"] !== undefined) return part(definitions.tree);
  const type = Array.isArray(found["type"]) ? dice.of(found["type"]) : found["type"];
  const low = Number(found["minimum"] ?? found["exclusiveMinimum"] ?? -50);
  const high = Number(found["maximum"] ?? found["exclusiveMaximum"] ?? low + 1_000);
  switch (type) {
    case "string":
      return text(dice);
    case "integer":
      return dice.of([low, high, low + 1, high - 1, Math.round(low + dice.below(1_000))]);
    case "number":
      return dice.of([low, high, low + 0.125, high - 0.5, low + dice.below(8_000) / 1_000]);
    case "boolean":
      return dice.once(2);
    case "null":
      return null;
    case "array": {
      const items = Array.from({ length: dice.below(5) }, () => part(found["items"]));
      (found["prefixItems"] as unknown[] | undefined)?.forEach((each, at) => {
        if (at < items.length) items[at] = part(each);
      });
      return items;
    }
    case "object":
      return randomEntries(dice, { schema: found, wrong });
    default:
      return anything(dice, 2);
  }
}

function randomEntries(
  dice: Dice,
  { schema, wrong }: { schema: Schema; wrong: number },
): unknown {
  const required = (schema["required"] ?? []) as string[];
  const entries = Object.entries(schema["properties"] as Schema)
    .filter(([key]) => required.includes(key) ? !dice.once(wrong) : dice.once(2))
    .map(([key, each]) => [key, randomValue(dice, { schema: each, wrong })]);
  if (dice.once(3)) {
    const other = schema["additionalProperties"] ?? true;
    // Other keys come after the declared keys, as in a grammar.
    entries.push([dice.of(OTHER_KEYS), randomValue(dice, { schema: other, wrong })]);
  }
  return Object.fromEntries(entries);
}

function text(dice: Dice): string {
  const usual = ["ab", "c", "/x", "x", "12", "1.5", "abc", "b", "a-b", "xyz", "yzyz", " ", "abab"];
  if (dice.once(2)) return dice.of(usual);
  return Array.from({ length: dice.below(8) }, () => dice.of(CHARACTERS)).join("");
}

function anything(dice: Dice, depth: number): unknown {
  const kind = dice.below(depth > 0 ? 8 : 6);
  if (kind < 2) return text(dice);
  if (kind === 2) return dice.below(400) - 200;
  if (kind === 3) return (dice.below(4_000) - 2_000) / 8;
  if (kind === 4) return dice.of([true, false, null]);
  if (kind === 5) return dice.of<unknown>([[], {}, 1e15, -0.001]);
  const parts = Array.from({ length: dice.below(3) }, () => anything(dice, depth - 1));
  return kind === 6 ? parts : Object.fromEntries(parts.map((each, at) => ["xyz"[at], each]));
}
