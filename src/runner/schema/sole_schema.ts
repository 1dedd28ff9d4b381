import { followed, joined } from "./definitions/reference.ts";

/** A JSON Schema that is an object. */
export type Schema = Record<string, unknown>;

/** How many unions are gone through. */
const MAX_STEPS = 32;

/**
 * The one schema that a value has to fit: references within the document are followed, and
 * of a union with `null` the other part is taken. `undefined` where there is a choice or
 * no schema.
 */
export function soleSchema(given: unknown, root: Schema): Schema | undefined {
  let schema = given;
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return undefined;
    const found = followed(schema as Schema, root);
    if (found === undefined) return undefined;
    const { type, anyOf, oneOf, ...rest } = found;
    const union = anyOf ?? oneOf;
    if (Array.isArray(union)) {
      // Beside a type of its own a union only adds conditions, which are checked in the end.
      if (typeof type === "string") return { ...rest, type };
      const others = union.filter((each) => each?.type !== "null");
      if (others.length !== 1) return undefined;
      if (typeof others[0] !== "object" || others[0] === null) return undefined;
      schema = { ...joined(rest, others[0]), nullable: others.length < union.length };
    } else if (Array.isArray(type)) {
      const others = type.filter((each) => each !== "null");
      if (others.length !== 1) return undefined;
      return { ...rest, type: others[0], nullable: others.length < type.length };
    } else {
      return found;
    }
  }
  return undefined;
}
