import { NamedError } from "../../../base/errors.ts";
import { _, type Ajv } from "ajv";

/** How many keywords are gone through between two looks at the clock. */
const BETWEEN = 256;

/** Runs work, and throws a `TimeBoundError` when it takes too long. */
export type Within = <T>(work: () => T) => T;

/** Tells that a check took longer than it may. */
export class TimeBoundError extends NamedError {
  /** The name of the class. */
  static override readonly errorName = "TimeBoundError";
}

/**
 * Makes what `ajv` compiles from now on look at the clock: nothing from outside reaches a check
 * that is running, and a short schema of references can ask for more steps than will ever end.
 * Returns what such work is to be run within, `ms` milliseconds long. `uniqueItems` takes time
 * linear in the items.
 */
export function boundInTime(ajv: Pick<Ajv, "RULES" | "removeKeyword" | "addKeyword">, ms: number) {
  let [steps, end] = [0, Infinity];
  const step = () => {
    if (++steps % BETWEEN === 0 && performance.now() > end) throw new TimeBoundError();
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
  const within: Within = (work) => {
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

/** The keys of equal objects in the same order. */
function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1));
}
