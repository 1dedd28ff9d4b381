import { isObject } from "../../base/json/is_object.ts";

/** The names of programs that are a capability of the machine. */
const PROGRAM = /^[a-z0-9][a-z0-9._+-]*$/;

/** The program of a command tool as a list, if it is looked up in PATH. */
export function requiredPrograms(entry: unknown): string[] {
  const run = isObject(entry) ? entry["run"] : undefined;
  const [program] = Array.isArray(run) ? run : [];
  return typeof program === "string" && PROGRAM.test(program) ? [program] : [];
}
