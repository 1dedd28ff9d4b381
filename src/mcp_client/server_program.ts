import { resolve } from "@std/path/posix/resolve";
import { CallError } from "../call_error.ts";
import { quote } from "../quote.ts";
import { programEnvironment } from "../sandbox/environment.ts";
import type { Grants } from "../sandbox/grants.ts";
import { findProgram } from "../sandbox/programs.ts";
import { missingProgram } from "../sandbox/spawn.ts";
import type { ProgramServer } from "./server_config.ts";
import type { ServerProgram } from "./stdio_transport.ts";

/**
 * The program that a server is: its path, its folder, and an environment that holds PATH, HOME,
 * LANG, TERM, TMPDIR and what the configuration names, whatever the flags say. Throws
 * `unavailable` for a program or a folder that is not there.
 */
export function serverProgram(
  { command, args, env, cwd }: ProgramServer,
  { root, folder, grants }: { root: string; folder: string; grants: Grants },
): Omit<ServerProgram, "mask"> {
  const home = cwd === undefined ? root : resolve(folder, cwd);
  const named = command.includes("/") ? resolve(home, command) : command;
  // A program that a call could have put into a folder of PATH is passed over.
  const program = findProgram(named, grants.allow.write);
  if (program === undefined) throw missingProgram(command);
  if (!isFolder(home)) {
    throw new CallError("unavailable", `Cannot start ${quote(command)}: no folder ${quote(home)}`);
  }
  return {
    path: program.found,
    args,
    env: { ...programEnvironment({ all: false, allow: {}, deny: {} }), ...env },
    cwd: home,
  };
}

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}
