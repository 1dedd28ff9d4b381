import type { OutputFile } from "../../registry/tool_context.ts";
import type { Program } from "../../program.ts";
import type { RegisteredTool } from "../../registry/registered_tool.ts";
import type { Limits } from "../linux/kernel.ts";
import type { ExecutorPlan } from "../plan.ts";
import type { Grants } from "../policy/grants.ts";
import type { Executor } from "./executor.ts";
import { inProcessExecutor } from "./in_process.ts";
import type { WorkerPool } from "./worker_pool.ts";

/** The options that the executors need. */
export interface ExecutorOptions {
  /** This program. */
  program: Program;
  /** The permissions of the flags. */
  grants: Grants;
  /** The resource limits of each program. */
  limits: Limits;
  /** The flags, for a process of this program that has the same ones. */
  flags: readonly string[];
  /** The file that takes the output of a background task; there when the call is one. */
  output?: OutputFile;
  /** The Workers of a long-lived process. */
  pool?: WorkerPool;
}

/** The executor that carries out a plan. Only the code that the plan needs is loaded. */
export async function executorFor(
  plan: ExecutorPlan,
  tool: RegisteredTool,
  options: ExecutorOptions,
): Promise<Executor> {
  switch (plan.executor) {
    case "in_process":
      return inProcessExecutor(tool, options.program);
    case "sandboxed_in_process":
      return (await import("./sandboxed.ts")).sandboxedInProcess(tool, { ...options, ...plan });
    case "worker":
      return (await import("./sandboxed.ts")).sandboxedWorker(tool, { ...options, ...plan });
    case "pooled_worker":
      return options.pool!.executor({ ...options, ...plan });
    case "network_worker":
      return (await import("./network_worker.ts")).networkExecutor(tool, options);
    case "programs":
      return (await import("./programs.ts")).programsExecutor(tool, { ...options, ...plan });
    case "subprocess":
      return (await import("./subprocess.ts")).subprocessExecutor(options);
  }
}
