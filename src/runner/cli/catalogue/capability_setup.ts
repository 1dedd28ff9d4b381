import type { CapabilitySetup } from "../../capability/capability.ts";
import type { CallOptions } from "../../call/call.ts";
import { callersEnvironment } from "../../sandbox/executors/environment.ts";
import type { CommandLine } from "../parse.ts";

/** Where the capabilities of a process are looked for, by its command line. */
export function capabilitySetup(
  { program, cwd: root, grants, stateDir }: CallOptions,
  { options }: CommandLine,
): CapabilitySetup {
  const config = options.get("config");
  return {
    ...{ program, root, grants, environment: callersEnvironment },
    ...(config !== undefined && { config }),
    ...(stateDir !== undefined && { stateDir }),
  };
}
