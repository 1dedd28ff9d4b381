import { toolFailure } from "../../../base/errors.ts";
import type { CallOptions } from "../../call/call.ts";
import type { RegisteredTool } from "../../registry/registered_tool.ts";
import { asDirectoryTool } from "../../registry/tool_module.ts";
import type { ExecutorPlan, PlannedTool } from "../plan.ts";
import { executeHere, helperContext } from "./context.ts";
import type { Executor } from "./executor.ts";
import type { Helper } from "./helper.ts";

/** The executor that carries out a plan. Only the code that the plan needs is loaded. */
export async function executorFor(
  plan: ExecutorPlan,
  tool: RegisteredTool,
  options: CallOptions,
): Promise<Executor> {
  const helper = "helper" in plan && plan.helper !== undefined
    ? await (await helperCode(plan)).findHelper(plan.helper, options.program)
    : undefined;
  const planned = { ...options, ...plan, helper };
  switch (planned.executor) {
    case "in_process":
      return inProcessExecutor(tool, helper);
    case "sandboxed_in_process":
      return (await sandboxCode(tool.metadata)).sandboxedInProcess(tool, planned);
    case "worker": {
      const { sandboxedWorker, servedWorker, writingModuleWorker } = await import(
        "./sandboxed_worker.ts"
      );
      if (planned.isServed) return servedWorker(planned);
      const own = planned.kinds.includes("write") ? asDirectoryTool(tool) : undefined;
      return own === undefined ? sandboxedWorker(tool, planned) : writingModuleWorker(own, planned);
    }
    case "pooled_worker":
      return options.pool!.executor(planned);
    case "network_worker":
      return (await import("./network_worker.ts")).networkExecutor(tool, planned);
    case "programs":
      return (await import("./programs.ts")).programsExecutor(tool, planned);
    case "kept_process":
      return (await options.pool!.processes()).executor(planned);
    case "session_shell":
      return (await import("../../shell/shell_executor.ts")).shellExecutor(tool, planned);
    case "subprocess":
      return (await import("./subprocess.ts")).subprocessExecutor(planned);
  }
}

/** Whether this machine has Landlock. The call of the tool loads the same code for its sandbox. */
export async function hasFileSandbox(tool: Pick<PlannedTool, "helper">): Promise<boolean> {
  return (await sandboxCode(tool)).hasLandlock();
}

function sandboxCode({ helper }: Pick<PlannedTool, "helper">) {
  return helper === undefined ? import("./sandboxed.ts") : import("./helper_sandbox.ts");
}

function helperCode({ executor }: ExecutorPlan) {
  return executor === "in_process" ? import("./helper.ts") : import("./helper_sandbox.ts");
}

/** Runs calls that have every permission in this thread. */
function inProcessExecutor(tool: RegisteredTool, helper: Helper | undefined): Executor {
  helper?.open();
  return executeHere(tool, {
    context: (job, options) => ({
      ...helperContext(job, options, { helper, landlock: false }),
      isSandboxed: false,
    }),
    failure: toolFailure,
  });
}
