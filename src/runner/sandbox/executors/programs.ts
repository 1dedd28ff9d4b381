import { type CallError, toolFailure } from "../../../base/errors.ts";
import type { ToolOutput } from "../../../base/content.ts";
import type { RegisteredTool } from "../../registry/registered_tool.ts";
import type { ToolContext } from "../../registry/tool_context.ts";
import { decide } from "../policy/grants.ts";
import type { NetworkPlan } from "../policy/program_rights.ts";
import { findProgram } from "../policy/programs.ts";
import type { Executor, ExecutorOutput, Job, RunOptions } from "./executor.ts";
import type { RefusedCall } from "./explain.ts";
import { ProgramHost, type ProgramHostOptions } from "./program_host.ts";
import type { Supervisor } from "./supervise.ts";

/** The options of the executor. */
export type ProgramsOptions = Omit<ProgramHostOptions, "cwd" | "stays">;

/** Each line that `explain.ts` takes for a refusal has one of these words. */
const REFUSAL =
  /denied|permitted|read-only|busy|EACCES|EPERM|EROFS|EBUSY|EAI_AGAIN|ENOTFOUND|resol|not known|getaddrinfo|unreachable|failed to connect/i;

/**
 * Runs a tool that starts programs in the main thread. With `sandboxed` the process takes on every
 * restriction when the call runs, for good. A call that is refused starts nothing.
 */
export function programsExecutor(
  tool: RegisteredTool,
  options: ProgramsOptions,
): Executor {
  return {
    async run(job, running) {
      await tool.load();
      const host = await ProgramHost.open({ ...options, cwd: job.cwd });
      return await runWithPrograms(tool, host, { job, running });
    },
    // The tool ends with the process.
    close() {},
  };
}

/** Runs a tool with the programs of a host. Rejects with a `CallError`. */
export async function runWithPrograms(
  tool: RegisteredTool,
  host: ProgramHost,
  { job, running }: { job: Job; running: RunOptions },
): Promise<ExecutorOutput> {
  await tool.load();
  const context = host.contextFor(job, running);
  const { sandbox, supervisor } = host;
  const mayStay = tool.metadata.background === true && !job.background;
  return await runWithNotes(tool, context, { job, plan: sandbox?.plan, supervisor, mayStay });
}

/**
 * Runs a tool, and adds to its output what the sandbox may have refused and which programs were
 * ended. `plan` is the network access of programs, if the system restricts them.
 */
export async function runWithNotes(
  tool: RegisteredTool,
  context: ToolContext,
  { job, plan, supervisor, mayStay }: Pick<Course, "supervisor" | "mayStay"> & {
    job: Job;
    plan: NetworkPlan | undefined;
  },
): Promise<ExecutorOutput> {
  const definition = await tool.load();
  const { grants, cwd } = job;
  const lookUps = { decide, findProgram };
  const call = plan && { grants, cwd, plan, lookUps };
  const course = { call, supervisor, mayStay };
  try {
    return await withNotes(await definition.run(job.args, context), course);
  } catch (error) {
    throw await failureWithNotes(toolFailure(error), course);
  }
}

/** The data for the notes on a call. */
interface Course {
  /** The call, if the system restricts its programs. */
  call: RefusedCall | undefined;
  supervisor: Pick<Supervisor, "survivors">;
  /** Whether the tool can run a command in the background instead. */
  mayStay: boolean;
}

/** Adds what the sandbox may have refused, and what was ended with the command. */
async function withNotes(
  output: ToolOutput,
  { call, supervisor: { survivors }, mayStay }: Course,
): Promise<ExecutorOutput> {
  const explained = call === undefined ? output : await withRefusals(output, call);
  if (survivors.length === 0) return explained;
  return (await ifLoaded(import("./survivors.ts")))?.withEnded(explained, survivors, mayStay) ??
    explained;
}

/** Adds what the sandbox may have refused to an output whose text tells of a refusal. */
async function withRefusals(output: ToolOutput, call: RefusedCall): Promise<ToolOutput> {
  if (Array.isArray(output)) return output;
  const content = typeof output === "string" ? output : output.content;
  if (typeof content !== "string" || !REFUSAL.test(content)) return output;
  const explained = (await ifLoaded(import("./explain.ts")))?.withRefusals(content, call);
  if (typeof output === "string") return explained ?? output;
  return Array.isArray(explained) ? { ...output, content: explained } : output;
}

/** Adds the same to the failure of a command. */
async function failureWithNotes(
  given: CallError,
  { call, supervisor: { survivors }, mayStay }: Course,
): Promise<CallError> {
  const failure = survivors.length === 0
    ? given
    : (await ifLoaded(import("./survivors.ts")))?.withEndedFailure(given, survivors, mayStay) ??
      given;
  const mayBeRefusal = failure.code === "tool_failed" && REFUSAL.test(failure.message);
  if (call === undefined || !mayBeRefusal) return failure;
  return (await ifLoaded(import("./explain.ts")))?.withRefusalsOfFailure(failure, call) ?? failure;
}

/** The command may have removed the files of this program. Its result is then without notes. */
function ifLoaded<T>(module: Promise<T>): Promise<T | undefined> {
  return module.catch(() => undefined);
}
