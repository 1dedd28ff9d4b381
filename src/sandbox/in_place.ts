import { type CallError, toolFailure } from "../call_error.ts";
import type { ToolContext } from "../registry/define.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import { confinedContext, confinedFailure, contextOf } from "./context.ts";
import type { Job, Place } from "./job.ts";
import type { RuntimePermissions } from "./permissions.ts";
import { helperIn, spawn } from "./spawn.ts";

/** This very thread, for calls that have every permission. */
export function thisThread(tool: RegisteredTool, programFolder: string): Place {
  const context = (job: Job, signal: AbortSignal) => {
    const { env = [] } = job.grants.allow;
    const options = { cwd: job.cwd, env: env === true ? [] : env };
    return {
      ...contextOf(job, signal),
      spawn: (program: string, args: readonly string[]) => spawn(program, args, options),
      helper: (name: string) => helperIn(programFolder, name),
    };
  };
  return placeHere(tool, { context, failure: toolFailure });
}

/**
 * This very thread behind the kernel's wall, which holds its files. Of the
 * other kinds it gives up, for good, those that `permissions` has nothing of.
 */
export function walledThread(tool: RegisteredTool, permissions: RuntimePermissions): Place {
  for (const name of ["read", "write", "env", "sys", "net", "run", "import"] as const) {
    const values = permissions[name];
    if (values === false || (values !== true && values.length === 0)) {
      Deno.permissions.revokeSync({ name });
    }
  }
  return placeHere(tool, { context: confinedContext, failure: confinedFailure });
}

function placeHere(
  tool: RegisteredTool,
  { context, failure }: {
    context: (job: Job, signal: AbortSignal) => ToolContext;
    failure: (error: unknown) => CallError;
  },
): Place {
  return {
    async run(job, signal) {
      const definition = await tool.load();
      try {
        return await definition.run(job.args, context(job, signal));
      } catch (error) {
        throw failure(error);
      }
    },
    // What runs here ends with the process.
    close() {},
  };
}
