import { type CallError, toolFailure } from "../call_error.ts";
import type { ToolContext } from "../registry/tool_context.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import { confinedContext, confinedFailure, contextOf } from "./context.ts";
import { programEnvironment } from "./environment.ts";
import type { Job, Place, RunOptions } from "./job.ts";
import { revokeKinds, type RuntimePermissions } from "./permissions.ts";
import { helperIn, runningProgram, start } from "./spawn.ts";
import { endGroup } from "./supervise.ts";

/** This very thread, for calls that have every permission. The programs it starts are helpers of its own. */
export function thisThread(tool: RegisteredTool, programFolder: string): Place {
  const context = (job: Job, options: RunOptions): ToolContext => ({
    ...contextOf(job, options),
    spawn: (program, args) => {
      const env = programEnvironment(job.grants);
      const child = start([program, ...args], { cwd: job.cwd, env });
      return runningProgram(child, { end: () => endGroup(child.pid) });
    },
    helper: (name) => helperIn(programFolder, name),
  });
  return placeHere(tool, { context, failure: toolFailure });
}

/**
 * This very thread behind the kernel's wall, which holds its files: `enterWall` puts it
 * there when the call runs. Of the other kinds it gives up, at once and for good, those
 * that `permissions` has nothing of.
 */
export function walledThread(
  tool: RegisteredTool,
  { permissions, enterWall }: {
    permissions: RuntimePermissions;
    enterWall: (job: Job) => void;
  },
): Place {
  const kinds = ["read", "write", "env", "sys", "net", "run", "import"] as const;
  revokeKinds(kinds.filter((name) => {
    const values = permissions[name];
    return values === false || (values !== true && values.length === 0);
  }));
  const context = (job: Job, options: RunOptions): ToolContext => {
    enterWall(job);
    return confinedContext(job, options);
  };
  return placeHere(tool, { context, failure: confinedFailure });
}

function placeHere(
  tool: RegisteredTool,
  { context, failure }: {
    context: (job: Job, options: RunOptions) => ToolContext;
    failure: (error: unknown) => CallError;
  },
): Place {
  return {
    async run(job, options) {
      const definition = await tool.load();
      try {
        return await definition.run(job.args, context(job, options));
      } catch (error) {
        throw failure(error);
      }
    },
    // What runs here ends with the process.
    close() {},
  };
}
