import { CallError } from "../../base/errors.ts";
import { fromFileUrl } from "@std/path/posix/from-file-url";
import { pathRules } from "../../base/fs/path_rules.ts";
import { quote } from "../../base/text/quote.ts";
import type { CallOptions, CallStep, Listeners, ToolCall } from "../call/call.ts";
import { executeCall, rejectCall } from "../call/execute.ts";
import type { CallResult } from "../call/failure.ts";
import { Servers } from "../call/servers.ts";
import { realGrants } from "../cli/call_options.ts";
import { parseMcpParams } from "../dialect/mcp.ts";
import type { RegisteredTool } from "../registry/registered_tool.ts";
import type { Registry } from "../registry/registry.ts";
import type { ServiceName } from "../registry/services.ts";
import { embeddedExecutor } from "../sandbox/executors/embedded.ts";
import { type Grants, isUnrestricted } from "../sandbox/policy/grants.ts";
import { resolutionSteps } from "../sandbox/policy/paths.ts";
import type { RunnerCall, RunnerOptions } from "./runner.ts";
import { grantsOf } from "./runner_permissions.ts";

/** The services that a runner in another program has. */
const SERVICES: readonly ServiceName[] = ["store", "todos", "settings", "patches"];

/** The options of all calls of a runner. Throws {@link UsageError} for a wrong permission. */
export async function optionsFor(
  { cwd: given = ".", unconfinedRun = false, strict = false, stateDirectory }: RunnerOptions,
  { registry, args }: { registry: Registry; args: readonly string[] },
): Promise<CallOptions> {
  const cwd = Deno.realPathSync(pathRules.resolve(Deno.cwd(), given));
  const grants = await realGrants(await grantsOf(args), cwd);
  const stateDir = stateDirectory && pathRules.resolve(cwd, stateDirectory);
  return {
    embedded: true,
    executorOf: (tool, plan) => embeddedExecutor(tool, plan, grants),
    ...{ registry, grants, cwd, unconfinedRun, strict },
    ...(stateDir !== undefined && { stateDir }),
    program: {
      directory: cwd,
      workerModule: "",
      isBundled: false,
      providers: () => Promise.reject(unsupported("The providers of the built-in tools")),
      commands: () => Promise.reject(unsupported("Command tools")),
    },
    limits: {},
    flags: [],
    session: `in ${cwd}`,
    servers: new Servers({ root: cwd, environment: () => ({}), grants }, {
      mayBeConfigured: false,
    }),
    ask: { client: () => Promise.reject(unsupported("Questions")), screen: NO_SCREEN },
    listeners: { cancelSignal: () => new AbortController().signal },
  };
}

/** A runner shows nothing. */
const NO_SCREEN = {
  write: (data: Uint8Array) => Promise.resolve(data.length),
  isTerminal: () => false,
};

/** Runs a call. Every failure is a result. */
export async function executeEmbedded(
  given: RunnerCall,
  common: CallOptions,
  listeners: Listeners,
): Promise<CallResult> {
  const onStep = ({ tool, failure }: CallStep) => {
    if (tool !== undefined && failure === undefined) refuseUnsupported(tool, common);
  };
  const grants = protectFiles(common);
  const options = { ...common, grants, listeners: { ...listeners, onStep } };
  let call: ToolCall;
  try {
    call = await parseMcpParams(plainData(given), { strict: options.strict === true });
    if (call.name.startsWith("mcp__") && !options.registry.has(call.name)) {
      throw new CallError("tool_not_found", `Unknown tool ${quote(call.name, 200)}`, {
        tool: call.name.slice(0, 200),
      });
    }
  } catch (error) {
    return await rejectCall(error, options);
  }
  return await executeCall(call, options);
}

/** The call as JSON has it, which is a copy: validation adds defaults to the arguments. */
function plainData(call: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(call) ?? "null");
  } catch (error) {
    const reason = (error as Error).message.split("\n")[0];
    throw new CallError("malformed_call", `The call is not JSON data: ${reason}`);
  }
}

/** Throws `unavailable` for a tool that only the executable can run. */
function refuseUnsupported(
  { metadata: { name, permissionKinds, uses = [] } }: RegisteredTool,
  { grants, unconfinedRun }: CallOptions,
): void {
  const service = uses.find((each) => !SERVICES.includes(each));
  if (service !== undefined || permissionKinds.includes("mcp")) {
    throw unsupported(`The tool ${quote(name)} uses ${quote(service ?? "mcp")}. Such tools`, name);
  }
  if (!permissionKinds.includes("run") || isUnrestricted(grants) || unconfinedRun) return;
  throw new CallError(
    "unavailable",
    `Cannot run ${quote(name)} in a library: it starts programs, which a library cannot confine. ` +
      "Start the executable, or set unconfinedRun to run them without a sandbox",
    { tool: name },
  );
}

function unsupported(what: string, tool?: string): CallError {
  const message = `${what} are not available in a library; start the executable`;
  return new CallError("unavailable", message, tool === undefined ? {} : { tool });
}

/** The grants, in which no call may write the modules of tools or the directory of what they store. */
function protectFiles({ grants, registry, stateDir }: CallOptions): Grants {
  if (isUnrestricted(grants)) return grants;
  const modules = registry.all().flatMap(({ module }) =>
    module?.startsWith("file:") ? [fromFileUrl(module)] : []
  );
  const files = stateDir === undefined ? modules : [...modules, stateDir];
  const own = files.flatMap((path) => resolutionSteps(path));
  return { ...grants, own, ...(stateDir !== undefined && { state: stateDir }) };
}
