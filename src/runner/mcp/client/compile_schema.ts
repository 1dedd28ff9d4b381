import { Ajv, type Options } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import draft6 from "ajv/dist/refs/json-schema-draft-06.json" with { type: "json" };
import { CallError } from "../../../base/errors.ts";
import type { Validator } from "../../registry/validator.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import { DRAFTS, schemaFault } from "./listed_tool.ts";
import { boundInTime, TimeBoundError } from "./time_bound.ts";

/** The longest reason that is quoted, in characters. */
const LONGEST = 500;

/** How long one check may take, in milliseconds. */
const CHECK_MS = 5_000;

/**
 * Compiles a foreign schema by the draft that it names, 2020-12 where it names none. Nothing is
 * fetched, nothing is filled in, what the schema says that is unknown is no error, and patterns
 * take linear time. Throws `unavailable` for one that cannot be compiled; `what` says what it is of.
 * The validator throws it for a check that takes longer than five seconds.
 */
export async function compileSchema(
  schema: Record<string, unknown>,
  what: string,
): Promise<Validator> {
  const fault = schemaFault(schema);
  if (fault !== undefined) throw uncheckable(what, fault);
  // To the library `$async` means that the validator promises, and a promise is no `false`.
  const { $async: _, ...checked } = schema;
  const { $schema } = checked;
  const draft = $schema === undefined ? "2020-12" : DRAFTS[String($schema).replace(/#$/, "")]!;
  const ajv = ajvOf(draft, await optionsFor(checked));
  const within = boundInTime(ajv, CHECK_MS);
  try {
    const compiled = within(() => ajv.compile(checked));
    const validate: Validator = (args) => {
      const fits = timed(what, () => within(() => compiled(args)));
      validate.errors = (compiled as Validator).errors ?? null;
      return fits;
    };
    return validate;
  } catch (error) {
    const why = error instanceof TimeBoundError ? "it takes too long" : (error as Error).message;
    throw uncheckable(what, `its schema cannot be compiled: ${why}`);
  }
}

function timed(what: string, check: () => boolean): boolean {
  try {
    return check();
  } catch (error) {
    // Each schema within a schema takes one of the stack, and one may lie within itself.
    if (error instanceof RangeError) throw uncheckable(what, "its schema is nested too deeply");
    if (!(error instanceof TimeBoundError)) throw error;
    throw uncheckable(what, `by its schema that takes more than ${CHECK_MS} ms`);
  }
}

async function optionsFor(schema: Record<string, unknown>): Promise<Options> {
  const options = {
    allErrors: true,
    strict: false,
    validateFormats: false,
    logger: false,
    // In line, one short schema would be compiled as often as it is referred to.
    inlineRefs: false,
  } as const;
  if (!JSON.stringify(schema).includes('"pattern')) return options;
  const { linearPattern } = await import("./linear_pattern.ts");
  return { ...options, code: { regExp: Object.assign(linearPattern, { code: "linearPattern" }) } };
}

function ajvOf(draft: (typeof DRAFTS)[string], options: Options): Ajv | Ajv2019 | Ajv2020 {
  if (draft === "2020-12") return new Ajv2020(options);
  if (draft === "2019-09") return new Ajv2019(options);
  const ajv = new Ajv(options);
  if (draft === "draft-06") ajv.addMetaSchema(draft6);
  return ajv;
}

function uncheckable(what: string, why: string): CallError {
  return new CallError(
    "unavailable",
    `Cannot check ${what}: ${escapeControls(why).slice(0, LONGEST)}`,
  );
}
