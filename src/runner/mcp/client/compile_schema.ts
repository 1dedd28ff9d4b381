import { _, Ajv, type Options } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import draft6 from "ajv/dist/refs/json-schema-draft-06.json" with { type: "json" };
import { late } from "../../../base/async/late.ts";
import { CallError, NamedError } from "../../../base/errors.ts";
import { isObject } from "../../../base/json/is_object.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import type { Validator } from "../../registry/validator.ts";
import { DRAFTS, schemaFault } from "./listed_tool.ts";

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
 * applies defaults only with `useDefaults`, ignores unknown keywords, and matches patterns in linear time. Throws
 * `unavailable` for a schema that cannot be compiled; `what` names the checked value in the message.
 * The validator throws `unavailable` for a check that takes more than five seconds.
 */
export async function compileSchema(
  schema: Record<string, unknown>,
  what: string,
  { useDefaults = false }: { useDefaults?: boolean } = {},
): Promise<Validator> {
  const fault = schemaFault(schema);
  if (fault !== undefined) throw cannotCheck(what, fault);
  // With `$async` the validator would return a promise, which is always truthy.
  const { $async: _async, ...checked } = schema;
  const { $schema } = checked;
  const draft = $schema === undefined ? "2020-12" : DRAFTS[String($schema).replace(/#$/, "")]!;
  const ajv = ajvOf(draft, { ...await optionsFor(checked), useDefaults });
  const within = boundInTime(ajv);
  try {
    const compiled = within(() => ajv.compile(checked));
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
    throw cannotCheck(what, `its schema cannot be compiled: ${why}`);
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
  } as const;
  if (!JSON.stringify(schema).includes('"pattern')) return options;
  const { linearPattern } = await patterns();
  return { ...options, code: { regExp: Object.assign(linearPattern, { code: "linearPattern" }) } };
}

function ajvOf(draft: (typeof DRAFTS)[string], options: Options): Ajv | Ajv2019 | Ajv2020 {
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
