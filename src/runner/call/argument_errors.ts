import { inexactValues } from "../../base/json/inexact_values.ts";
import { pointerOf } from "../../base/json/json_pointer.ts";
import type { RegisteredTool } from "../registry/registered_tool.ts";
import type { SchemaError } from "../registry/validator.ts";

/** The keyword of the error for a value that JavaScript cannot represent. */
export const EXACT = "exact";

/**
 * Returns the errors in the arguments of a call, none for valid ones: those of the tool's schema, and
 * values that JavaScript cannot represent. Adds the defaults of the schema.
 */
export function argumentErrors(
  { validate }: Pick<RegisteredTool, "validate">,
  args: Record<string, unknown>,
): readonly SchemaError[] {
  const inexact = inexactValues(args);
  if (inexact.length === 0) return validate(args) ? [] : validate.errors ?? [];
  // A validator takes an inexact number for an object, and could not add defaults to it.
  const rounded: Record<string, unknown> = JSON.parse(JSON.stringify(args));
  const others = validate(rounded) ? [] : validate.errors ?? [];
  const paths = new Set(inexact.map(({ path }) => pointerOf(path)));
  return [
    ...inexact.map(({ path, fault }): SchemaError => ({
      instancePath: pointerOf(path),
      ...{ schemaPath: "#", keyword: EXACT, params: {}, message: fault },
    })),
    // The schema says nothing useful about a value that is not what the caller wrote.
    ...others.filter(({ instancePath }) => !paths.has(instancePath)),
  ];
}
