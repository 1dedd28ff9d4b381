/** Calls of tools that only read files and end by themselves. Many can share one thread. */

import type { ToolMetadata } from "../registry/registered_tool.ts";
import { isUnrestricted } from "../sandbox/policy/grants.ts";
import { mayHavePatches } from "../state/state_directory.ts";
import type { CallOptions, IncomingCall } from "./call.ts";

/** Whether the calls of a tool only read files, end by themselves, and need nothing else. */
export function isReaderTool(
  { bounded, sideEffect, permissionKinds, uses, helper, simple, rateLimit, file }: ToolMetadata,
): boolean {
  return bounded === true && sideEffect === "read_only" && uses === undefined &&
    helper === undefined && simple !== true && file === undefined && rateLimit === undefined &&
    permissionKinds.join() === "read";
}

/**
 * Whether all calls of this name are of a {@link isReaderTool reader}, and the configuration sets no
 * policy for them.
 */
async function isReader(
  name: string,
  { registry, policyOf }: Pick<CallOptions, "registry" | "policyOf">,
): Promise<boolean> {
  if (!registry.has(name)) return false;
  try {
    const { metadata } = await registry.get(name).load();
    return isReaderTool(metadata) && Object.keys(policyOf?.(metadata.name) ?? {}).length === 0;
  } catch {
    // The tool is disabled. The call says so.
    return false;
  }
}

/**
 * Returns the options for executing the calls of a message in this thread, or undefined if they
 * cannot run there. Each of them has to be a call of a reader. Such a thread needs no Worker, which
 * takes as long to start as a hundred of these calls. It is restricted as for one call, for good.
 */
export async function readerOptions(
  calls: readonly IncomingCall[],
  options: CallOptions,
): Promise<CallOptions | undefined> {
  // A restricted thread can neither open the log nor start the exporter.
  if ((options.audit ?? options.telemetry) !== undefined) return undefined;
  for (const incoming of calls) {
    if ("call" in incoming && !await isReader(incoming.call.name, options)) return undefined;
  }
  const { grants, program, stateDir } = options;
  // A restricted thread could not finish a patch whose process was killed.
  if (mayHavePatches(stateDir)) return undefined;
  if (isUnrestricted(grants)) return options;
  const { confineReaders, hasLandlock } = await import("../sandbox/executors/sandboxed.ts");
  if (!program.isBundled || !hasLandlock()) return undefined;
  const programDirectory = program.directory;
  const executorOf = confineReaders({ grants, programDirectory });
  return { ...options, executorOf };
}
