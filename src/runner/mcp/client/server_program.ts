import { pathRules } from "../../../base/fs/path_rules.ts";
import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import { outsideEnvironment, programEnvironment } from "../../sandbox/executors/environment.ts";
import type { Grants } from "../../sandbox/policy/grants.ts";
import { isDirectory } from "../../sandbox/policy/paths.ts";
import { findOutsideProgram } from "../../sandbox/policy/programs.ts";
import { missingProgram } from "../../sandbox/executors/spawn.ts";
import type { ProgramServer } from "./server_config.ts";

/** The path of a program, and how to start it. `env` is its whole environment. */
export type ServerProgram =
  & { path: string }
  & Required<Pick<Deno.CommandOptions, "args" | "cwd" | "env">>;

/**
 * Resolves the program of a server, its working directory and its environment. The environment
 * consists of PATH, HOME, LANG, TERM, TMPDIR and the configured variables, and does not depend on
 * the flags. PATH excludes directories that calls may write. Throws `unavailable` if the program or
 * the directory is missing, or if a call could have written or replaced the program.
 */
export function serverProgram(
  { command, args, env, cwd }: ProgramServer,
  { root, directory, grants }: { root: string; directory: string; grants: Grants },
): ServerProgram {
  const home = cwd === undefined ? root : pathRules.resolve(directory, cwd);
  const named = pathRules.isPath(command) ? pathRules.resolve(home, command) : command;
  const { write } = grants.allow;
  const program = findOutsideProgram(named, write);
  if (program === undefined || !("path" in program)) throw missingProgram(command, program);
  if (!isDirectory(home)) {
    throw new CallError(
      "unavailable",
      `Cannot start ${quote(command)}: the directory ${quote(home)} does not exist`,
    );
  }
  const whole = { ...programEnvironment({ all: false, allow: {}, deny: {} }), ...env };
  return { path: program.found, args: [...args], env: outsideEnvironment(whole, write), cwd: home };
}
