/** The way of a call, from top to bottom: find, validate, authorise, plan, run, result. */

import type { SideEffect } from "../registry/define.ts";
import { type RegisteredTool, usesOnlyFiles } from "../registry/registered_tool.ts";
import type { SettingValues } from "../registry/services.ts";
import { executorFor } from "../sandbox/executors/executor_for.ts";
import type { Executor } from "../sandbox/executors/executor.ts";
import { hear } from "../sandbox/executors/prints.ts";
import { noServices, onlyProgress } from "../sandbox/executors/context.ts";
import type { ExecutorPlan, Plan } from "../sandbox/plan.ts";
import { argumentErrors } from "./argument_errors.ts";
import { authorise, needsOf, planFor, refusalOf, rulesBroken } from "./authorise.ts";
import type { CallOptions, Prepared, Repair, ToolCall } from "./call.ts";
import { cancelOnSignal } from "./cancel.ts";
import { type CallResult, failureOf, failureResult, withIgnored, withRepairs } from "./failure.ts";
import { findCalledTool } from "./find_tool.ts";
import { rateLimitOf, runPrepared } from "./run.ts";
import { mayHavePatches } from "../state/state_directory.ts";
import { planModeRefusal } from "./plan_mode.ts";
import type { Services } from "./services.ts";

/** The side effects of tools that plan mode may refuse. */
const CHANGING: readonly SideEffect[] = ["mutating", "spawns"];

/** Executes one call. Every failure is a result, and nothing is thrown. */
export async function executeCall(call: ToolCall, options: CallOptions): Promise<CallResult> {
  return await measured(options, async (own) => {
    if (own.audit === undefined) return await execute(call, own);
    const { executeWithAudit } = await import("../audit/audit.ts");
    return await executeWithAudit(call, own, (watched) => execute(call, watched));
  });
}

/** Returns the result of a call that failed before its execution, and logs it. Never rejects. */
export async function rejectCall(
  error: unknown,
  options: CallOptions,
  call: Partial<ToolCall> = {},
): Promise<CallResult> {
  const result = failureResult(failureOf(error));
  return await measured(options, async (own) => {
    if (own.audit === undefined || own.auditedByParent) return result;
    const { auditCall } = await import("../audit/audit.ts");
    return await auditCall(call, own, () => Promise.resolve(result));
  });
}

async function measured(
  options: CallOptions,
  run: (options: CallOptions) => Promise<CallResult>,
): Promise<CallResult> {
  if (options.telemetry === undefined) return await run(options);
  const { measureCall } = await import("../telemetry/measure_call.ts");
  return await measureCall(options, options.telemetry, run);
}

async function execute(call: ToolCall, options: CallOptions): Promise<CallResult> {
  using resources = new DisposableStack();
  const repairs: Repair[] = [...call.repairs ?? []];
  const stop = new AbortController();
  let executor: Executor | undefined;
  let mayBePatched = false;
  const openExecutor = async (plan: ExecutorPlan, tool: RegisteredTool) => {
    options.listeners.onPhase?.("sandbox");
    executor = options.executorOf?.(tool, plan) ?? await executorFor(plan, tool, options);
    resources.defer(() => executor?.close());
  };
  try {
    const prepared = await prepareCall(call, options, {
      ...{ stop, resources, repairs },
      opened: () => executor,
      async onFound(tool, plan) {
        const { background, bounded, helper, permissionKinds, sideEffect } = tool.metadata;
        const isQuick = bounded === true || helper !== undefined;
        const mayBeKilled = isQuick && sideEffect === "read_only" && !options.audit;
        if (!mayBeKilled) cancelOnSignal(options.listeners, stop);
        // A process that was restricted before could not finish a patch, and has looked for one.
        const mayLook = options.executorOf === undefined || options.embedded === true;
        mayBePatched = mayLook && usesOnlyFiles(tool.metadata) && mayHavePatches(options.stateDir);
        if (mayBePatched) return;
        // A Worker takes longer to start than a call to check, so it starts first. The main thread
        // gives up its permissions first, so that it looks at no path with them. But a restricted
        // process could not count the call any more, or start a background task.
        const isFinal = !permissionKinds.includes("net") && (background ?? false) === false;
        const isRestricted = plan.executor === "worker" || plan.executor === "sandboxed_in_process";
        if (isRestricted && isFinal && rateLimitOf(tool, options) === undefined) {
          await openExecutor(plan, tool);
        }
      },
    });
    const { tool, args, serve, plan } = prepared;
    const refusal = refusalOf(prepared);
    if (refusal !== undefined) throw refusal;
    if (mayBePatched) {
      const { restoreBefore } = await import("../patches/restore_patches.ts");
      await restoreBefore(Object.values(prepared.paths), options);
    }
    const limit = rateLimitOf(tool, options);
    if (limit !== undefined) (await import("./count_call.ts")).countCall(tool, limit, options);
    let result: CallResult;
    if (plan.executor === "background_process") {
      options.listeners.onPhase?.("run");
      const { startTask } = await import("./background_tasks.ts");
      result = await startTask(prepared, options, stop.signal);
    } else {
      if (executor === undefined) await openExecutor(plan, tool);
      options.listeners.onPhase?.("run");
      result = await runPrepared(prepared, executor!, { options, stop, serve });
    }
    if (options.structured) result = (await import("./omit_large.ts")).omitLargeFields(result);
    await options.listeners.onStep?.({ call, succeeded: true });
    return withRepairs(withIgnored(result, tool.metadata, args, call.ignored), repairs);
  } catch (error) {
    await options.listeners.onStep?.({ call, failure: error });
    return withRepairs(failureResult(failureOf(error)), repairs);
  }
}

/**
 * Does everything that comes before running a call: finds the tool, validates the arguments, asks
 * the flags, and plans where the call runs. `stop` is aborted when the call is cancelled, and
 * `resources` takes what to close when it is over. `onFound` gets the tool and the plan for a call
 * without hosts. `opened` returns the open executor. Throws {@link CallError}, except for refusals.
 */
export async function prepareCall(
  call: ToolCall,
  options: CallOptions,
  { stop, resources, repairs, onFound, opened }: {
    stop: AbortController;
    resources: DisposableStack;
    repairs: Repair[];
    onFound?(tool: RegisteredTool, plan: Plan): Promise<void>;
    opened?(): Executor | undefined;
  },
): Promise<Prepared> {
  const { onPhase, onStep } = options.listeners;
  onPhase?.("find");
  // This imports the tool's declaration, `tools/_generated/NAME.ts`, but not its code.
  let tool = await findCalledTool(call.name, options, stop);
  if (tool.standsFor !== undefined) {
    const { forwardCall } = await import("./forward_call.ts");
    tool = await forwardCall(call, tool, { options, stop, repairs });
  }
  const { metadata } = tool;
  await onStep?.({ call, tool });
  const refuseChange = options.embedded !== true && CHANGING.includes(metadata.sideEffect)
    ? await planModeRefusal(tool, options)
    : undefined;
  await onFound?.(tool, await planFor(tool, options));

  onPhase?.("validate");
  hear(metadata.name, options.listeners.onPrint);
  // The definition is loaded first, because the schema of an MCP server's tool is compiled with it.
  const definition = await tool.load();
  // Only a built-in tool has a generated declaration.
  if (!options.program.isBundled && metadata.file === undefined) {
    (await import("./stale_metadata.ts")).refuseStaleMetadata(tool, definition);
  }
  const services = await openServices(tool, options, stop.signal);
  if (services !== undefined) resources.defer(() => services.close());
  const serve = services?.serve ?? noServices;
  if (argumentErrors(tool, call.arguments).length > 0) {
    const { repairOrReject } = await import("./validate.ts");
    const { cwd, strict = false } = options;
    const rules = () => rulesBroken(tool, call.arguments, { cwd, executor: opened?.() });
    await repairOrReject(tool, call.arguments, { strict, repairs, rules });
  }

  onPhase?.("authorise");
  const values: SettingValues = {
    ...(metadata.uses?.includes("settings") &&
      await serve("settings.values", []) as SettingValues),
    ...(options.memoryDirectory && { "memory.directory": options.memoryDirectory }),
  };
  const running = { cwd: options.cwd, values, executor: opened?.() };
  const needs = await needsOf(tool, call.arguments, running);
  const authorised = await authorise(needs, options);
  const plan = await planFor(tool, options, { args: call.arguments, ...authorised });
  const prepared = { tool, definition, args: call.arguments, serve, plan, ...authorised };
  await onStep?.({ call, prepared });
  refuseChange?.(prepared);
  return prepared;
}

/** The services that a tool declares. Every tool may report its progress without declaring it. */
async function openServices(
  { metadata }: RegisteredTool,
  options: CallOptions,
  signal: AbortSignal,
): Promise<Services | undefined> {
  const { output, listeners: { onProgress } } = options;
  if (metadata.uses === undefined && output === undefined) {
    return onProgress && { serve: onlyProgress(onProgress), close() {} };
  }
  const { servicesFor } = await import("./services.ts");
  return servicesFor(metadata, options, signal);
}
