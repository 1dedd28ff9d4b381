import { _, Ajv, type KeywordCxt, Name, type Options } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import draft6 from "ajv/dist/refs/json-schema-draft-06.json" with { type: "json" };
import { late } from "../../../base/async/late.ts";
import { CallError, NamedError } from "../../../base/errors.ts";
import { isObject } from "../../../base/json/is_object.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import type { Validator } from "../../registry/validator.ts";
import { checkableSchema, draftOf } from "./checkable_schema.ts";
import type { SchemaDraft } from "./schema_draft.ts";

/** It has WebAssembly. */
const patterns = late(() => import("./linear_pattern.ts"));

/** The most characters of a reason that are quoted. */
const MAX_REASON = 500;

/** The timeout of one check, in milliseconds. */
const CHECK_MS = 5_000;

/** The number of keywords that are evaluated between two checks of the time. */
const STEPS_PER_CHECK = 256;

/**
 * Compiles a foreign schema by the draft that it names; the default is 2020-12. It fetches nothing,
 * applies defaults only with `useDefaults`, ignores unknown keywords, and matches patterns in linear
 * time. Parts that cannot be compiled are left out and reported to `onUnchecked`; without that
 * function, it throws `unavailable`. `what` names the checked value in messages. The validator throws
 * `unavailable` for a check that takes more than five seconds.
 */
export async function compileSchema(
  schema: Record<string, unknown>,
  what: string,
  { useDefaults = false, onUnchecked }: {
    useDefaults?: boolean;
    onUnchecked?: (parts: readonly string[]) => void;
  } = {},
): Promise<Validator> {
  const draft = draftOf(schema);
  const ajv = ajvOf(draft, { ...await optionsFor(schema), useDefaults });
  const within = boundInTime(ajv);
  try {
    const checkable = within(() => checkableSchema(schema, { ajv, draft }));
    const unchecked = checkable.unchecked.map((part) => escapeControls(part).slice(0, MAX_REASON));
    if (unchecked.length > 0 && onUnchecked === undefined) throw new Error(unchecked[0]);
    const compiled = within(() => ajv.compile(checkable.schema));
    if (unchecked.length > 0) onUnchecked?.(unchecked);
    const validate: Validator = (args) => {
      try {
        const fits = within(() => compiled(args));
        validate.errors = (compiled as Validator).errors ?? null;
        return fits;
      } catch (error) {
        // Nested schemas recurse, and a schema can contain itself: the stack can overflow.
        if (error instanceof RangeError) throw cannotCheck(what, "its schema is nested too deeply");
        if (!(error instanceof TimeBoundError)) throw error;
        throw cannotCheck(what, `by its schema that takes more than ${CHECK_MS} ms`);
      }
    };
    return validate;
  } catch (error) {
    const why = error instanceof TimeBoundError ? "it takes too long" : (error as Error).message;
    if (onUnchecked === undefined) throw cannotCheck(what, `its schema cannot be compiled: ${why}`);
    onUnchecked([escapeControls(`its schema cannot be compiled: ${why}`).slice(0, MAX_REASON)]);
    return () => true;
  }
}

async function optionsFor(schema: Record<string, unknown>): Promise<Options> {
  const options = {
    allErrors: true,
    strict: false,
    // A key such as "constructor" is in every object, but no caller has written it.
    ownProperties: true,
    validateFormats: false,
    logger: false,
    // Inlining would compile a short schema once for each reference to it.
    inlineRefs: false,
    // The schema was validated before.
    validateSchema: false,
  } as const;
  // A property of the name "__proto__" is checked by a pattern.
  if (!/"(?:pattern|__proto__)/.test(JSON.stringify(schema))) return options;
  const { linearPattern } = await patterns();
  return { ...options, code: { regExp: Object.assign(linearPattern, { code: "linearPattern" }) } };
}

function ajvOf(draft: SchemaDraft, options: Options): Ajv | Ajv2019 | Ajv2020 {
  if (draft === "2020-12") return new Ajv2020(options);
  if (draft === "2019-09") return new Ajv2019(options);
  const ajv = new Ajv(options);
  if (draft === "draft-06") ajv.addMetaSchema(draft6);
  return ajv;
}

function cannotCheck(what: string, why: string): CallError {
  const reason = escapeControls(why).slice(0, MAX_REASON);
  return new CallError("unavailable", `Cannot check ${what}: ${reason}`);
}

/** A check exceeded its timeout. */
class TimeBoundError extends NamedError {
  static override readonly errorName = "TimeBoundError";
}

/**
 * Makes the validators that `ajv` compiles from now on check the time. A running check cannot be
 * interrupted otherwise, and a short schema of references can need practically endless steps.
 * Returns a function that runs work with a timeout. It also replaces `uniqueItems` by an
 * implementation that takes time linear in the items.
 */
function boundInTime(ajv: Pick<Ajv, "RULES" | "removeKeyword" | "addKeyword">) {
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
        if (rule.keyword === "unevaluatedItems") countEvaluated(context);
        context.gen.code(_`${context.gen.scopeValue("func", { ref: step })}()`);
        code(context, type);
      },
    };
  }
  return <T>(work: () => T): T => {
    end = performance.now() + CHECK_MS;
    try {
      return work();
    } finally {
      end = Infinity;
    }
  };
}

/** Makes the number of evaluated items a number: in a branch, it is undefined or true for all. */
function countEvaluated({ gen, data, it }: KeywordCxt): void {
  const { items } = it;
  if (!(items instanceof Name)) return;
  it.items = gen.const("evaluated", _`${items} === true ? ${data}.length : ${items} || 0`);
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
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1));
}
