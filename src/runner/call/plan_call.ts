import type { RegisteredTool } from "../registry/registered_tool.ts";
import { type Mode, type Plan, planConfinement, usesLandlock } from "../sandbox/plan.ts";
import type { CallOptions } from "./call.ts";

/** The plan of a call, as far as its arguments and hosts are known. */
export async function planFor(
  tool: RegisteredTool,
  options: CallOptions,
  { args = {}, hosts = [] }: { args?: Record<string, unknown>; hosts?: readonly string[] } = {},
): Promise<Plan> {
  const { grants, unconfinedRun, program, pool, output } = options;
  // The process of a background task executes the very call that became the task.
  const isStart = tool.metadata.background === true && args["run_in_background"] === true &&
    output === undefined;
  const mode: Mode = isStart ? "background" : pool === undefined ? "one_call" : "long_lived";
  const given = {
    ...{ grants, unconfinedRun, isBundled: program.isBundled, needsHost: hosts.length > 0 },
    mode,
  };
  const hasLandlock = usesLandlock(tool.metadata, given) &&
    (await import("../sandbox/executors/sandboxed.ts")).hasLandlock();
  return planConfinement(tool.metadata, { ...given, hasLandlock });
}
