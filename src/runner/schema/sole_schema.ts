import { followRefs, joinSchemas, type SchemaObject } from "../../base/json/schema_ref.ts";

/** The longest chain of unions that is followed. */
const MAX_STEPS = 32;

/**
 * The only schema that a value can fit. References within the document are followed. A union with
 * `null` stands for its other part, as `nullable`. Returns undefined when there are several
 * schemas to choose from, or none.
 */
export function soleSchema(given: unknown, root: SchemaObject): SchemaObject | undefined {
  let schema = given;
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return undefined;
    const found = followRefs(schema as SchemaObject, root);
    if (found === undefined) return undefined;
    const { type, anyOf, oneOf, ...rest } = found;
    const union = anyOf ?? oneOf;
    if (Array.isArray(union)) {
      // A union beside a type only adds conditions. The validator checks them later.
      if (typeof type === "string") return { ...rest, type };
      const others = union.filter((each) => each?.type !== "null");
      if (others.length !== 1) return undefined;
      if (typeof others[0] !== "object" || others[0] === null) return undefined;
      schema = { ...joinSchemas(rest, others[0]), nullable: others.length < union.length };
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
