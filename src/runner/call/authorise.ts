import { pathRules } from "../../base/fs/path_rules.ts";
import type { ArgumentProblem } from "../../base/argument_problem.ts";
import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { Permission } from "../registry/define.ts";
import { asDirectoryTool } from "../registry/tool_module.ts";
import type { SettingValues } from "../registry/services.ts";
import { denialText } from "../sandbox/policy/denial_text.ts";
import { decide, type Grants, pathToDecide } from "../sandbox/policy/grants.ts";
import type { Executor, FileToWrite } from "../sandbox/executors/executor.ts";
import { hasFileSandbox } from "../sandbox/executors/executor_for.ts";
import { isKernelPath } from "../sandbox/policy/paths.ts";
import { type Mode, type Plan, planConfinement, usesLandlock } from "../sandbox/plan.ts";
import type { RegisteredTool } from "../registry/registered_tool.ts";
import { osErrorMessage } from "../../base/os_error_message.ts";
import type { CallOptions, Prepared } from "./call.ts";

/** The working directory of a call, the settings, and the executor that runs it if it is open. */
interface Running {
  cwd: string;
  values?: SettingValues;
  executor?: Executor | undefined;
}

/**
 * Returns the permissions that a call needs. Rejects with `invalid_arguments` if its arguments break
 * rules of the tool, or its tool refuses them.
 */
export async function needsOf(
  tool: RegisteredTool,
  args: Record<string, unknown>,
  { cwd, values = {}, executor }: Running,
): Promise<Permission[]> {
  const own = asDirectoryTool(tool);
  if (own !== undefined) return await own.needs(args, cwd, executor?.ask);
  const { name, permissions, rules } = await tool.load();
  let problems: readonly ArgumentProblem[];
  try {
    problems = rules?.(args, cwd) ?? [];
    if (problems.length === 0) return permissions.needs(args, cwd, values);
  } catch (error) {
    throw new CallError("invalid_arguments", (error as Error).message, { tool: name });
  }
  throw (await import("./invalid_arguments.ts")).brokenRules(tool.metadata, problems);
}

/** The rules of a tool that arguments break. Rejects if the tool cannot tell. */
export async function rulesBroken(
  tool: RegisteredTool,
  args: Record<string, unknown>,
  { cwd, executor }: Running,
): Promise<readonly ArgumentProblem[]> {
  const own = asDirectoryTool(tool);
  if (own !== undefined) return await own.rulesBroken(args, cwd, executor?.ask);
  return (await tool.load()).rules?.(args, cwd) ?? [];
}

/** Asks the flags about each permission. Throws {@link CallError} for a path that cannot exist. */
export async function authorise(
  needs: Permission[],
  { cwd, grants }: CallOptions,
): Promise<Pick<Prepared, "decisions" | "paths" | "writes" | "hosts">> {
  const paths: Record<string, string> = {};
  const writes: FileToWrite[] = [];
  const hasHost = needs.some(({ name }) => name === "net");
  const net = hasHost ? await import("../sandbox/policy/hosts.ts") : undefined;
  const decisions = needs.map((need) => {
    if (need.name === "net") return net!.decideNet(need, grants);
    if (need.name !== "read" && need.name !== "write") {
      return decide(need, grants);
    }
    const path = pathRules.resolve(cwd, need.path);
    paths[path] ??= lookUp(path, { given: need.path, grants });
    if (need.name === "write" && isKernelPath(path) && !isKernelPath(paths[path])) {
      const why = "it leads through files of the kernel; give the path of the file itself";
      throw new CallError("tool_failed", `Cannot write ${quote(need.path)}: ${why}`);
    }
    const decision = decide({ name: need.name, path: paths[path] }, grants);
    if (need.name === "write" && decision.granted) {
      const { name: _, ...file } = need;
      writes.push({ ...file, path: paths[path] });
    }
    return decision;
  });
  const hosts = decisions.flatMap(({ permission }) =>
    permission.name === "net" ? permission.host : []
  );
  return { decisions, paths, writes, hosts };
}

function lookUp(path: string, { given, grants }: { given: string; grants: Grants }): string {
  if (given.includes("\0")) {
    const message = `Cannot use the path ${quote(given)}: it contains a NUL character`;
    throw new CallError("invalid_arguments", message);
  }
  try {
    return pathToDecide(path, grants);
  } catch (error) {
    // A symlink leads into the kernel's file systems, which the runtime does not resolve.
    if (error instanceof Deno.errors.NotCapable) return path;
    const reason = osErrorMessage(error)
      .toLowerCase();
    throw new CallError(
      "tool_failed",
      `Cannot resolve the path ${quote(given)}: ${reason}`,
    );
  }
}

/** Returns the refusal of a call, or `undefined` if the flags grant all that it needs. */
export function refusalOf(
  { tool, decisions }: Pick<Prepared, "tool" | "decisions">,
): CallError | undefined {
  const refused = decisions.filter(({ granted }) => !granted);
  if (refused.length === 0) return undefined;
  return new CallError(
    "permission_denied",
    refused.map(denialText).join("\n"),
    {
      tool: tool.metadata.name,
      needs: refused.map(({ permission, flag, denied }) => ({ ...permission, flag, denied })),
    },
  );
}

/** The plan of a call, as far as its arguments and hosts are known. */
export async function planFor(
  tool: RegisteredTool,
  options: CallOptions,
  { args = {}, hosts = [] }: { args?: Record<string, unknown>; hosts?: readonly string[] } = {},
): Promise<Plan> {
  const { grants, unconfinedRun, program, pool, output } = options;
  // The process of a background task executes the very call that became the task.
  const { background, shell } = tool.metadata;
  const isTask = background === "always" ||
    background === true && args["run_in_background"] === true;
  const isStart = isTask && output === undefined;
  const isForShell = shell === true && typeof args["session"] === "string";
  const usual: Mode = pool === undefined ? "one_call" : "long_lived";
  const mode: Mode = isStart ? "background" : isForShell ? "session" : usual;
  const given = {
    ...{ grants, unconfinedRun, isBundled: program.isBundled, needsHost: hosts.length > 0 },
    mode,
  };
  if (options.embedded) {
    const { metadata, module } = tool;
    const planned = { ...metadata, ...(module !== undefined && { module }) };
    return planConfinement(planned, { ...given, mode: "embedded", hasLandlock: false });
  }
  const hasLandlock = usesLandlock(tool.metadata, given) &&
    await hasFileSandbox(tool.metadata);
  return planConfinement(tool.metadata, { ...given, hasLandlock });
}
