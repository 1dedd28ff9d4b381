import { resolve } from "@std/path/posix/resolve";
import { quote } from "../../../base/text/quote.ts";
import type { Grants } from "../../sandbox/policy/grants.ts";
import { findOutsideProgram } from "../../sandbox/policy/programs.ts";
import { UsageError } from "../../../base/errors.ts";

/**
 * The absolute path of the program that a value of `--ask` names: by a path from the working
 * folder, or by a name in PATH. It runs outside the walls, so one where calls may write
 * is refused: a call could have put it there. Throws {@link UsageError}.
 */
export function askingProgram(value: string, { all, allow }: Grants): string {
  const writable = all ? undefined : allow.write;
  const name = value.startsWith("exec:") ? value.slice("exec:".length) : "";
  if (name === "") {
    throw new UsageError(
      `Unknown way to ask ${quote(value)}; known is exec:PROGRAM, a program that asks`,
    );
  }
  const path = name.includes("/") ? resolve(Deno.cwd(), name) : name;
  const program = findOutsideProgram(path, writable);
  if (program === undefined) {
    const where = name.includes("/") ? "it does not exist or cannot be executed" : "not in PATH";
    throw new UsageError(`Cannot ask with the program ${quote(name)}: ${where}`);
  }
  if (!("path" in program)) {
    const { found, place } = program;
    const what = place === found ? "it" : `${quote(place, 4096)} on the way to it`;
    throw new UsageError(
      `Cannot ask with the program ${quote(name)}: ${what} lies where calls may write`,
    );
  }
  return program.found;
}
