import { type CallError, toolFailure } from "../../../base/errors.ts";
import type { ToolContext } from "../../registry/tool_context.ts";
import type { RegisteredTool } from "../../registry/registered_tool.ts";
import type { Program } from "../../program.ts";
import { contextOf } from "./context.ts";
import { programEnvironment } from "./environment.ts";
import type { Executor, Job, RunOptions } from "./executor.ts";
import { endGroup, helperIn, runningProgram, start } from "./spawn.ts";

/**
 * Runs calls that have every permission in this thread. The programs that it starts are its
 * helpers.
 */
export function inProcessExecutor(tool: RegisteredTool, { directory }: Program): Executor {
  const context = (job: Job, options: RunOptions): ToolContext => ({
    ...contextOf(job, options),
    spawn: (program, args) => {
      const env = programEnvironment(job.grants);
      const child = start([program, ...args], { cwd: job.cwd, env });
      return runningProgram(child, { end: () => endGroup(child.pid) });
    },
    helper: (name) => helperIn(directory, name),
    isSandboxed: false,
  });
  return executeHere(tool, { context, failure: toolFailure });
}

/**
 * Runs a tool in this thread with that context. `failure` turns its error into a failure of the
 * call.
 */
export function executeHere(
  tool: RegisteredTool,
  { context, failure }: {
    context: (job: Job, options: RunOptions) => ToolContext;
    failure: (error: unknown) => CallError;
  },
): Executor {
  return {
    async run(job, options) {
      const definition = await tool.load();
      try {
        return await definition.run(job.args, context(job, options));
      } catch (error) {
        throw failure(error);
      }
    },
    // The tool ends with the process.
    close() {},
  };
}
