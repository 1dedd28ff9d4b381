import { toolFailure } from "../call_error.ts";
import type { ToolDefinition } from "../registry/define.ts";
import { contextOf } from "./context.ts";
import type { Job, Running } from "./job.ts";
import { helperIn, spawn } from "./spawn.ts";

/** Runs a tool in this very thread: for calls that have every permission. */
export function runInPlace(
  definition: ToolDefinition,
  job: Job,
  { signal, programFolder }: { signal: AbortSignal; programFolder: URL },
): Running {
  const { env } = job.grants.allow;
  const ctx = {
    ...contextOf(job, signal),
    spawn: (program: string, args: readonly string[]) =>
      spawn(program, args, {
        cwd: job.cwd,
        env: env === true ? [] : env ?? [],
      }),
    helper: (name: string) => helperIn(programFolder, name),
  };
  const content = (async () => {
    try {
      return await definition.run(job.args, ctx);
    } catch (error) {
      throw toolFailure(error);
    }
  })();
  return { content, stop: () => {} };
}
