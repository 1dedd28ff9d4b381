import { NamedError } from "../../../base/errors.ts";
import { _, type Ajv } from "ajv";

/** The number of keywords that are evaluated between two checks of the time. */
const STEPS_PER_CHECK = 256;

/** Runs work, and throws a `TimeBoundError` if it takes too long. */
export type RunWithin = <T>(work: () => T) => T;

/** A check exceeded its timeout. */
export class TimeBoundError extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "TimeBoundError";
}

/**
 * Makes the validators that `ajv` compiles from now on check the time. A running check cannot be
 * interrupted otherwise, and a short schema of references can need practically endless steps.
 * Returns a function that runs work with a timeout of `ms` milliseconds. It also replaces
 * `uniqueItems` by an implementation that takes time linear in the items.
 */
export function boundInTime(ajv: Pick<Ajv, "RULES" | "removeKeyword" | "addKeyword">, ms: number) {
  let [steps, end] = [0, Infinity];
  const step = () => {
    if (++steps % STEPS_PER_CHECK === 0 && performance.now() > end) throw new TimeBoundError();
  };
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    validate: (wanted: boolean, items: unknown[]) => !wanted || areUnique(items, step),
    error: { message: "must NOT have duplicate items" },
  });
  for (const rule of Object.values(ajv.RULES.all)) {
    if (typeof rule !== "object" || !("code" in rule.definition)) continue;
    const { definition } = rule;
    const { code } = definition;
    rule.definition = {
      ...definition,
      code(context, type) {
        context.gen.code(_`${context.gen.scopeValue("func", { ref: step })}()`);
        code(context, type);
      },
    };
  }
  const within: RunWithin = (work) => {
    end = performance.now() + ms;
    try {
      return work();
    } finally {
      end = Infinity;
    }
  };
  return within;
}

function areUnique(items: unknown[], step: () => void): boolean {
  const seen = new Set<string>();
  for (const item of items) {
    step();
    seen.add(JSON.stringify(item, sorted));
  }
  return seen.size === items.length;
}

/** Sorts the keys of objects, so that equal objects have equal JSON. */
function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1));
}
