/** A JSON Schema that is an object. */
export type Schema = Record<string, unknown>;

/** How many references and unions are gone through. */
const MOST_STEPS = 32;

/**
 * The one schema that a value has to fit: references within the document are followed, and
 * of a union with `null` the other part is taken. `undefined` where there is a choice or
 * no schema.
 */
export function soleSchema(given: unknown, root: Schema): Schema | undefined {
  let schema = given;
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return undefined;
    const { $ref, type, anyOf, oneOf, ...rest } = schema as Schema;
    if (typeof $ref === "string") {
      schema = referenced($ref, root);
      continue;
    }
    const union = anyOf ?? oneOf;
    if (Array.isArray(union)) {
      // Beside a type of its own a union only adds conditions, which are checked in the end.
      if (typeof type === "string") return { ...rest, type };
      const others = union.filter((each) => each?.type !== "null");
      if (others.length !== 1) return undefined;
      schema = { ...rest, ...others[0], nullable: others.length < union.length };
    } else if (Array.isArray(type)) {
      const others = type.filter((each) => each !== "null");
      if (others.length !== 1) return undefined;
      return { ...rest, type: others[0], nullable: others.length < type.length };
    } else {
      return schema as Schema;
    }
  }
  return undefined;
}

/** What a reference within the document leads to. */
function referenced(reference: string, root: Schema): unknown {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  let value: unknown = root;
  for (const token of reference.split("/").slice(1)) {
    const key = unescaped(token);
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Schema)[key];
  }
  return value;
}

function unescaped(token: string): string {
  try {
    return decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return token;
  }
}
