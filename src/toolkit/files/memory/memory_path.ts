/** Paths of the memory tool: they begin with `/memories`, which stands for a directory. */

import { quotePath } from "../../../base/text/quote.ts";
import { checkPath } from "../check_path.ts";

/** The directory that models see. */
export const MEMORY_ROOT = "/memories";

/**
 * The path of a file in `directory` that a call names by a path below `/memories`. Throws for any
 * path that could mean another place. The caller must check that no symlink leads out of the
 * directory.
 */
export function memoryPath(given: string, directory: string): string {
  const why = faultOf(given);
  if (why !== undefined) {
    throw new Error(
      `Invalid path ${quotePath(given)}: ${why}; give a path such as ${MEMORY_ROOT}/notes.txt`,
    );
  }
  checkPath(given);
  const below = given.slice(MEMORY_ROOT.length).replace(/\/$/, "");
  return (directory === "/" ? "" : directory) + below || "/";
}

/** Whether a call names the memory directory itself. */
export function isMemoryRoot(given: string): boolean {
  return given.replace(/\/$/, "") === MEMORY_ROOT;
}

function faultOf(given: string): string | undefined {
  if (given !== MEMORY_ROOT && !given.startsWith(`${MEMORY_ROOT}/`)) {
    return `it does not begin with ${MEMORY_ROOT}/`;
  }
  if (given.includes("\\")) return "it has a backslash";
  // deno-lint-ignore no-control-regex
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(given)) return "it has a control character";
  if (/%(?:25|2e|2f|5c|00|c0|e0)/i.test(given)) return "it has a character in percent-encoding";
  const names = given.slice(1).replace(/\/$/, "").split("/");
  if (names.some((name) => name === "." || name === "..")) return 'it has the name "." or ".."';
  return names.includes("") ? "it has two slashes together" : undefined;
}
