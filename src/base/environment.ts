/**
 * The value of an environment variable. A value that is not UTF-8 counts as missing, because the runtime
 * cannot read it. Throws `Deno.errors.NotCapable` without the permission.
 *
 * @example
 * ```ts
 * import { readVariable } from "./environment.ts";
 *
 * if (readVariable("A_NAME_THAT_NOBODY_SETS") !== undefined) throw new Error("It is set");
 * ```
 */
export function readVariable(name: string): string | undefined {
  try {
    return Deno.env.get(name);
  } catch (error) {
    if (error instanceof Deno.errors.InvalidData) return undefined;
    throw error;
  }
}
