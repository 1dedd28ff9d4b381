/**
 * Whether the arguments of a call mean that it has none: they are missing, `null`, or a text of white
 * space or `null`. Models write each of these for a tool that needs no arguments.
 */
export function meansNoArguments(value: unknown): boolean {
  return value === undefined || value === null ||
    typeof value === "string" && /^\s*(null\s*)?$/.test(value);
}
