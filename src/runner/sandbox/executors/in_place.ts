import { type CallError, toolFailure } from "../../../base/errors.ts";
import type { ToolContext } from "../../registry/tool_context.ts";
import type { RegisteredTool } from "../../registry/registered_tool.ts";
import { contextOf } from "./context.ts";
import { programEnvironment } from "./environment.ts";
import type { Job, Place, RunOptions } from "./job.ts";
import { helperIn, runningProgram, start } from "./spawn.ts";
import { endGroup } from "./end_group.ts";

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
    isSandboxed: false,
  });
  return placeHere(tool, { context, failure: toolFailure });
}

/** This very thread: a tool runs with that context, and `failure` tells what its throw means. */
export function placeHere(
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
