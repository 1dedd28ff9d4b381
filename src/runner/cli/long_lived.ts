/** A process that executes many calls: a server, a message with several calls, `submit`. */

import type { CallOptions } from "../call/call.ts";
import { WorkerPool } from "../sandbox/executors/worker_pool.ts";
import type { Grants } from "../sandbox/policy/grants.ts";
import type { CommandLine } from "./command.ts";
import { flagArguments } from "./flag_arguments.ts";

/** The options of calls in a process that executes many of them. */
export interface LongLivedOptions extends CallOptions {
  /** The Workers of this process. The caller closes them at the end. */
  pool: WorkerPool;
}

/** Returns the options for a process that executes many calls. */
export function longLivedOptions(line: CommandLine, options: CallOptions): LongLivedOptions {
  const flags = childFlags(options.grants, line, options);
  return { ...options, pool: new WorkerPool(), flags };
}

/**
 * The flags for a child process of this program with these grants. Defaults that depend on the
 * working directory are made explicit. `no-links` makes the child check that the paths of the flags
 * contain no symlinks: otherwise a call could replace a path by a symlink and so grant its target to
 * other calls.
 */
export function childFlags(
  grants: Grants,
  { options }: CommandLine,
  { cwd, session }: Pick<CallOptions, "cwd" | "session">,
): string[] {
  const own = [["root", cwd], ["session", session], ["no-links", ""]] as const;
  return flagArguments(grants, new Map([...options, ...own]));
}
