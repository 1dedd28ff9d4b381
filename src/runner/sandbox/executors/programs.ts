import { type CallError, toolFailure } from "../../../base/errors.ts";
import type { ToolOutput } from "../../../base/content.ts";
import type { OutputFile, ToolContext } from "../../registry/tool_context.ts";
import type { RegisteredTool } from "../../registry/registered_tool.ts";
import type { Program } from "../../program.ts";
import { type Limits, openKernel } from "../linux/kernel.ts";
import { confinePrograms, type ProgramSandbox } from "../linux/program_sandbox.ts";
import { decide, type Grants } from "../policy/grants.ts";
import { realPathIfAny } from "../policy/paths.ts";
import { findProgram, ignoredProgram } from "../policy/programs.ts";
import { contextOf } from "./context.ts";
import { programEnvironment } from "./environment.ts";
import type { Executor, ExecutorOutput, Job, RunOptions } from "./executor.ts";
import type { RefusedCall } from "./explain.ts";
import {
  choosePrivateDirectory,
  helperIn,
  makePrivateDirectory,
  missingProgram,
  openOutputFile,
  type PrivateDirectory,
  runningProgram,
  start,
  temporaryRootIfAny,
} from "./spawn.ts";
import { Supervisor } from "./supervise.ts";

/** Each line that `explain.ts` takes for a refusal has one of these words. */
const REFUSAL =
  /denied|permitted|read-only|busy|EACCES|EPERM|EROFS|EBUSY|EAI_AGAIN|ENOTFOUND|resol|not known|getaddrinfo|unreachable|failed to connect/i;

/** The options of the executor. */
export interface ProgramsOptions {
  /** This program. */
  program: Pick<Program, "directory">;
  /** The permissions of the flags. */
  grants: Grants;
  /** The resource limits of programs. */
  limits: Limits;
  /** The file for the output of a background task's program; present only in such a call. */
  output?: OutputFile;
  /** Whether the system restricts the programs. */
  sandboxed: boolean;
}

/**
 * Runs a tool that starts programs in the main thread. With `sandboxed` the process takes on every
 * restriction when the call runs, for good. A call that is refused starts nothing.
 */
export function programsExecutor(tool: RegisteredTool, options: ProgramsOptions): Executor {
  return {
    async run(job, running) {
      const definition = await tool.load();
      const { context, sandbox, supervisor } = await contextFor(job, { ...options, running });
      const mayStay = tool.metadata.background === true && !job.background;
      const { grants, cwd } = job;
      const lookUps = { decide, findProgram };
      const call = sandbox && { grants, cwd, plan: sandbox.plan, lookUps };
      const course = { call, supervisor, mayStay };
      try {
        return await withNotes(await definition.run(job.args, context), course);
      } catch (error) {
        throw await failureWithNotes(toolFailure(error), course);
      }
    },
    // The tool ends with the process.
    close() {},
  };
}

/** The data for the notes on a call. */
interface Course {
  /** The call, if the system restricts its programs. */
  call: RefusedCall | undefined;
  supervisor: Supervisor;
  /** Whether the tool can run a command in the background instead. */
  mayStay: boolean;
}

/** Adds what the sandbox may have refused, and what was ended with the command. */
async function withNotes(
  output: ToolOutput,
  { call, supervisor: { survivors }, mayStay }: Course,
): Promise<ExecutorOutput> {
  const explained = call !== undefined && typeof output === "string" && REFUSAL.test(output)
    ? (await ifLoaded(import("./explain.ts")))?.withRefusals(output, call) ?? output
    : output;
  if (survivors.length === 0) return explained;
  return (await ifLoaded(import("./survivors.ts")))?.withEnded(explained, survivors, mayStay) ??
    explained;
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

/** Makes the context of a tool that starts programs, inside the sandbox. Throws `unavailable`. */
async function contextFor(
  job: Job,
  { running, program, sandboxed, grants, limits, output }: ProgramsOptions & {
    running: RunOptions;
  },
): Promise<{ context: ToolContext; sandbox: ProgramSandbox | undefined; supervisor: Supervisor }> {
  const { directory: programDirectory } = program;
  const kernel = openKernel();
  const path = sandboxed ? choosePrivateDirectory() : undefined;
  // The supervisor starts first, so that the directory's remover is there before the directory.
  const supervisor = new Supervisor(kernel, { directory: path, root: temporaryRootIfAny() });
  const directory = path === undefined ? undefined : makePrivateDirectory(path);
  if (directory !== undefined) await supervisor.madeDirectory(directory.path);
  const env = environmentFor(grants, directory);
  const sandbox = directory && await confinePrograms(kernel, {
    grants,
    limits,
    programDirectory,
    temporary: directory.temporary,
    bystander: supervisor.keeper,
    cwd: job.cwd,
  });
  const spawn: ToolContext["spawn"] = (program, args, { env: own } = {}) => {
    const found = findProgram(program, grants.allow.write);
    if (found === undefined) {
      throw missingProgram(program, ignoredProgram(program, grants.allow.write));
    }
    const command = [found.path, ...args];
    supervisor.awaitKeeper();
    const child = start(sandbox?.command(command) ?? command, {
      cwd: job.cwd,
      env: { ...env, ...own },
    });
    supervisor.started(child.pid);
    return runningProgram(child, {
      end: () => supervisor.endProgram(child.pid, sandbox?.endAll),
      openOutput: () => output ?? keptOutput(supervisor, directory?.output),
    });
  };
  const helper: ToolContext["helper"] = (name) => helperIn(programDirectory, name);
  return {
    context: { ...contextOf(job, running), spawn, helper, isSandboxed: sandboxed },
    sandbox,
    supervisor,
  };
}

/** The file of a long output, which stays after the call unless it could not take all. */
function keptOutput(supervisor: Supervisor, own: OutputFile | undefined): OutputFile {
  supervisor.keepOutput();
  if (own === undefined) return openOutputFile();
  return {
    ...own,
    discard: () => {
      own.file.truncateSync(0);
      supervisor.dropOutput();
    },
  };
}

/**
 * The environment of programs. HOME is the caller's if programs may read it or the flags name it.
 * Otherwise it is the private directory.
 */
function environmentFor(
  grants: Grants,
  directory: PrivateDirectory | undefined,
): Record<string, string> {
  const env = programEnvironment(grants);
  if (directory === undefined) return env;
  const home = env["HOME"]?.startsWith("/") ? realPathIfAny(env["HOME"]) : undefined;
  const { env: named } = grants.allow;
  const keeps = Array.isArray(named) && named.includes("HOME") &&
      decide({ name: "env", variable: "HOME" }, grants).granted ||
    home !== undefined && decide({ name: "read", path: home }, grants).granted;
  return { ...env, TMPDIR: directory.temporary, ...(!keeps && { HOME: directory.temporary }) };
}
