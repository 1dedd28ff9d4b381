import { toolFailure } from "../call_error.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import { contextOf } from "./context.ts";
import type { Job, Place } from "./job.ts";
import { helperIn, spawn } from "./spawn.ts";

/** This very thread, for calls that have every permission. */
export function thisThread(tool: RegisteredTool, programFolder: string): Place {
  return {
    async run(job, signal) {
      const definition = await tool.load();
      try {
        return await definition.run(job.args, contextHere(job, { signal, programFolder }));
      } catch (error) {
        throw toolFailure(error);
      }
    },
    // What runs here ends with the process.
    close() {},
  };
}

function contextHere(
  job: Job,
  { signal, programFolder }: { signal: AbortSignal; programFolder: string },
) {
  const { env = [] } = job.grants.allow;
  const options = { cwd: job.cwd, env: env === true ? [] : env };
  return {
    ...contextOf(job, signal),
    spawn: (program: string, args: readonly string[]) => spawn(program, args, options),
    helper: (name: string) => helperIn(programFolder, name),
  };
}
