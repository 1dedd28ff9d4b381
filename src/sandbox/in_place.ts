import { type CallError, toolFailure } from "../call_error.ts";
import type { ContentBlock, ToolContext } from "../registry/define.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import { confinedContext, confinedFailure, contextOf } from "./context.ts";
import { programEnvironment } from "./environment.ts";
import type { Job, Place } from "./job.ts";
import type { RuntimePermissions } from "./permissions.ts";
import { helperIn, runningProgram, start } from "./spawn.ts";
import { endGroup } from "./supervise.ts";

/** This very thread, for calls that have every permission. The programs it starts are helpers of its own. */
export function thisThread(tool: RegisteredTool, programFolder: string): Place {
  const context = (job: Job, signal: AbortSignal): ToolContext => ({
    ...contextOf(job, signal),
    spawn: (program, args) => {
      const env = programEnvironment(job.grants.allow.env);
      const child = start([program, ...args], { cwd: job.cwd, env });
      return runningProgram(child, { end: () => endGroup(child.pid) });
    },
    helper: (name) => helperIn(programFolder, name),
  });
  return placeHere(tool, { context, failure: toolFailure });
}

/**
 * This very thread behind the kernel's wall, which holds its files. Of the
 * other kinds it gives up, for good, those that `permissions` has nothing of.
 */
export function walledThread(tool: RegisteredTool, permissions: RuntimePermissions): Place {
  const kinds = ["read", "write", "env", "sys", "net", "run", "import"] as const;
  revokeKinds(kinds.filter((name) => {
    const values = permissions[name];
    return values === false || (values !== true && values.length === 0);
  }));
  return placeHere(tool, { context: confinedContext, failure: confinedFailure });
}

/** Gives up whole kinds of the runtime's permissions in this process, for good. */
export function revokeKinds(kinds: readonly Deno.PermissionDescriptor["name"][]): void {
  for (const name of kinds) Deno.permissions.revokeSync({ name } as Deno.PermissionDescriptor);
}

/** A place that runs a tool in this thread, with the context that `context` makes. */
export function placeHere(
  tool: RegisteredTool,
  { context, failure, success = (content) => content }: {
    context: (job: Job, signal: AbortSignal) => ToolContext;
    failure: (error: unknown, job: Job) => CallError;
    success?: (content: string | ContentBlock[], job: Job) => string | ContentBlock[];
  },
): Place {
  return {
    async run(job, signal) {
      const definition = await tool.load();
      try {
        return success(await definition.run(job.args, context(job, signal)), job);
      } catch (error) {
        throw failure(error, job);
      }
    },
    // What runs here ends with the process.
    close() {},
  };
}
