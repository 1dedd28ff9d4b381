import { toolFailure } from "../../../base/errors.ts";
import type { CallOptions } from "../../call/call.ts";
import type { Program } from "../../program.ts";
import type { RegisteredTool } from "../../registry/registered_tool.ts";
import type { ExecutorPlan } from "../plan.ts";
import { contextOf, executeHere } from "./context.ts";
import { programEnvironment } from "./environment.ts";
import type { Executor } from "./executor.ts";
import { endGroup, helperIn, runningProgram, start } from "./spawn.ts";

/** The executor that carries out a plan. Only the code that the plan needs is loaded. */
export async function executorFor(
  plan: ExecutorPlan,
  tool: RegisteredTool,
  options: CallOptions,
): Promise<Executor> {
  const planned = { ...options, ...plan };
  switch (planned.executor) {
    case "in_process":
      return inProcessExecutor(tool, options.program);
    case "sandboxed_in_process":
      return (await import("./sandboxed.ts")).sandboxedInProcess(tool, planned);
    case "worker":
      return (await import("./sandboxed.ts")).sandboxedWorker(tool, planned);
    case "pooled_worker":
      return options.pool!.executor(planned);
    case "network_worker":
      return (await import("./network_worker.ts")).networkExecutor(tool, planned);
    case "programs":
      return (await import("./programs.ts")).programsExecutor(tool, planned);
    case "subprocess":
      return (await import("./subprocess.ts")).subprocessExecutor(planned);
  }
}

/** Runs calls that have every permission in this thread, and starts their helpers. */
function inProcessExecutor(tool: RegisteredTool, { directory }: Program): Executor {
  return executeHere(tool, {
    context: (job, options) => ({
      ...contextOf(job, options),
      spawn: (program, args) => {
        const env = programEnvironment(job.grants);
        const child = start([program, ...args], { cwd: job.cwd, env });
        return runningProgram(child, { end: () => endGroup(child.pid) });
      },
      helper: (name) => helperIn(directory, name),
      isSandboxed: false,
    }),
    failure: toolFailure,
  });
}
