/** The value of a YAML document. `schema` tells which types the values have. */
export function parse(
  content: string,
  options?: { schema?: "core" | "default" | "extended" | "failsafe" | "json" },
): unknown;
