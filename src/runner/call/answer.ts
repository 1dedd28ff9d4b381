import type { Permission, ToolDefinition } from "../registry/define.ts";
import type { SettingValues } from "../registry/services.ts";
import type { RegisteredTool } from "../registry/registered_tool.ts";
import type { Registry } from "../registry/registry.ts";
import { ToolDisabledError, ToolNotFoundError } from "../registry/registry_errors.ts";
import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { isUnrestricted } from "../sandbox/policy/grants.ts";
import { thisThread } from "../sandbox/executors/in_place.ts";
import type { Place, Serve } from "../sandbox/executors/job.ts";
import { hear } from "../sandbox/executors/prints.ts";
import { noServices, onlyProgress } from "../sandbox/executors/services.ts";
import { hasPlanMark, usualStateFolder } from "../state/state_folder.ts";
import { authorise, refusalOf } from "./authorise.ts";
import { type CallResult, failureOf, failureResult, withIgnored, withRepairs } from "./failure.ts";
import type { Prepared, Repair, Settings, ToolCall } from "./call.ts";
import { rateLimitOf } from "./policy.ts";
import { run } from "./run.ts";
import { withServerOf } from "./servers.ts";
import type { Services } from "./services.ts";
import { validate } from "./validate.ts";

/** Answers one call: find, validate, authorise, count, run. Every failure is a result; nothing is thrown. */
export async function answer(call: ToolCall, settings: Settings): Promise<CallResult> {
  if (settings.audit === undefined) return await answerCall(call, settings);
  const { auditedAnswer } = await import("../audit/audit.ts");
  return await auditedAnswer(call, settings, (watched) => answerCall(call, watched));
}

async function answerCall(call: ToolCall, settings: Settings): Promise<CallResult> {
  let place: Place | undefined;
  let services: Services | undefined;
  const repairs: Repair[] = [...call.repairs ?? []];
  try {
    const stop = new AbortController();
    await withServerOf(call.name, settings, stop);
    const tool = await find(call.name, settings.registry);
    settings.onStep?.({ tool });
    const refuseChange = await planModeRefusal(tool, settings);
    // What only reads, and at once, may end by a signal; from then on nothing else does.
    const { bounded, sideEffect } = tool.metadata;
    const mayEnd = bounded === true && sideEffect === "read_only" && settings.audit === undefined;
    if (!mayEnd) settings.onCancel(() => stop.abort());
    const limit = rateLimitOf(tool, settings);
    // A Worker takes longer to start than a call to check, so it starts first. But the walls may
    // be entered with it, and behind them no call is counted.
    if (limit === undefined) place = await placeFor(tool, settings);
    services = await servicesOf(tool, settings, stop.signal);
    const serve = services?.serve ?? noServices;
    const prepared = await prepare(tool, call.arguments, { ...settings, serve, repairs });
    settings.onStep?.({ prepared });
    refuseChange?.(prepared);
    const refusal = refusalOf(prepared);
    if (refusal !== undefined) throw refusal;
    if (limit !== undefined) {
      const { countCall } = await import("./count_call.ts");
      countCall(tool, limit, settings);
    }
    // The process that looks after a task answers the very call that was made.
    const isTask = settings.output !== undefined;
    if (tool.metadata.background && prepared.args["run_in_background"] === true && !isTask) {
      const { startTask } = await import("../tasks/start_task.ts");
      return await told(await startTask(prepared, settings, stop.signal), prepared);
    }
    place ??= await placeFor(tool, settings);
    return await told(await run(prepared, place, { settings, stop, serve }), prepared);
  } catch (error) {
    return withRepairs(failureResult(failureOf(error)), repairs);
  } finally {
    place?.close();
    services?.close();
  }

  /** The result, with what was done to the arguments and to its data. */
  async function told(result: CallResult, { tool, args }: Prepared): Promise<CallResult> {
    const complete = settings.structured
      ? (await import("./omit_large.ts")).withoutLargeFields(result)
      : result;
    return withRepairs(withIgnored(complete, tool.metadata, args), repairs);
  }
}

/**
 * In plan mode, throws for a tool that changes things. For a tool with calls that only read,
 * returns a function that refuses its other calls once their arguments are valid. Outside of plan
 * mode, only the mark is looked at.
 */
export async function planModeRefusal(
  tool: RegisteredTool,
  settings: Settings,
): Promise<((call: Prepared) => void) | undefined> {
  const { sideEffect } = tool.metadata;
  if (sideEffect !== "mutating" && sideEffect !== "spawns") return undefined;
  const folder = settings.stateDir ?? usualStateFolder();
  if (folder === undefined || !hasPlanMark(folder)) return undefined;
  const { isPlanning, refusedInPlanMode } = await import("./plan_mode.ts");
  if (!isPlanning({ folder, session: settings.session })) return undefined;
  const { changes } = await tool.load();
  if (changes === undefined) throw refusedInPlanMode(tool.metadata);
  return ({ args }) => {
    if (changes(args)) throw refusedInPlanMode(tool.metadata);
  };
}

/** The services that a tool declares. Any tool may report its progress without them. */
async function servicesOf(
  { metadata }: RegisteredTool,
  settings: Settings,
  signal: AbortSignal,
): Promise<Services | undefined> {
  const { output, onProgress } = settings;
  if (metadata.uses === undefined && output === undefined) {
    return onProgress && { serve: onlyProgress(onProgress), close() {} };
  }
  const { servicesFor } = await import("./services.ts");
  return servicesFor(metadata, settings, signal);
}

/** Where the tool may run: in place when nothing has to be enforced, else behind the walls. */
async function placeFor(tool: RegisteredTool, settings: Settings): Promise<Place> {
  if (settings.pool !== undefined) {
    const { residentPlace } = await import("../sandbox/executors/resident_place.ts");
    return residentPlace(tool, { ...settings, pool: settings.pool });
  }
  const open = isUnrestricted(settings.grants);
  const { permissionKinds } = tool.metadata;
  // A tool of MCP servers does nothing itself: they are spoken to by the engine.
  if (permissionKinds.includes("mcp")) return thisThread(tool, settings.programFolder);
  if (permissionKinds.includes("net")) {
    const network = (await import("../sandbox/executors/network_place.ts")).networkPlace(
      tool,
      settings,
    );
    const { eitherPlace, isEither, withoutNetwork } = await import(
      "../sandbox/executors/either_place.ts"
    );
    if (!isEither(tool)) return network;
    return eitherPlace(network, () => placeFor(withoutNetwork(tool), settings));
  }
  if (!permissionKinds.includes("run")) {
    // A function without metadata has what it declares, and nothing more, under every flag.
    if (open && tool.metadata.simple !== true) return thisThread(tool, settings.programFolder);
    return (await import("../sandbox/executors/confined.ts")).confined(tool, settings);
  }
  const { openProgramPlace, walledProgramPlace } = await import(
    "../sandbox/executors/program_place.ts"
  );
  return (open || settings.unconfinedRun ? openProgramPlace : walledProgramPlace)(tool, settings);
}

/**
 * Checks the arguments and asks the flags. What had to be repaired is added to `repairs`.
 * Throws {@link CallError}, but not for what the flags refuse.
 */
export async function prepare(
  tool: RegisteredTool,
  args: Record<string, unknown>,
  settings: Settings & { serve: Serve; repairs: Repair[] },
): Promise<Prepared> {
  hear(tool.metadata.name, settings.onPrint);
  // Loaded first: the schema of an MCP server's tool is compiled with it.
  const definition = await tool.load();
  await validate(tool, args, settings);
  const values = tool.metadata.uses?.includes("settings")
    ? await settings.serve("settings.values", []) as SettingValues
    : {};
  const needs = needsOf(definition, args, { cwd: settings.cwd, values });
  return { tool, definition, args, ...await authorise(needs, settings) };
}

function needsOf(
  { name, permissions }: ToolDefinition,
  args: Record<string, unknown>,
  { cwd, values }: { cwd: string; values: SettingValues },
): Permission[] {
  try {
    return permissions.needs(args, cwd, values);
  } catch (error) {
    // What a schema cannot say of the arguments, a tool says here.
    throw new CallError("invalid_arguments", (error as Error).message, { tool: name });
  }
}

/** The tool of that name or alias. Throws `tool_not_found`, which names the nearest, or says what disables it. */
export async function find(name: string, registry: Registry): Promise<RegisteredTool> {
  try {
    return await registry.get(name).load();
  } catch (error) {
    if (error instanceof ToolDisabledError) {
      const { message } = error;
      throw new CallError("tool_not_found", message, { tool: name.slice(0, 200), disabled: true });
    }
    if (!(error instanceof ToolNotFoundError)) throw error;
    const { hint, nearest } = await import("../../base/text/nearest.ts");
    const near = nearest(name, registry.names());
    throw new CallError(
      "tool_not_found",
      `Unknown tool ${quote(name)}; ${hint(near, "toolcall list")}`,
      {
        tool: name.slice(0, 200),
        ...(near !== undefined && { nearest: near }),
      },
    );
  }
}
