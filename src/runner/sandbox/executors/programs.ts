import { CallError, toolFailure } from "../../../base/errors.ts";
import type { ToolOutput } from "../../../base/content.ts";
import type { OutputFile, ToolContext } from "../../registry/tool_context.ts";
import type { RegisteredTool } from "../../registry/registered_tool.ts";
import { contextOf } from "./context.ts";
import { programEnvironment } from "./environment.ts";
import { type Refusal, refusalNote, refusalsIn } from "./explain.ts";
import { decide, type Grants } from "../policy/grants.ts";
import {
  confinePrograms,
  type ProgramOptions,
  type ProgramSandbox,
} from "../linux/confine_programs.ts";
import type { Executor, Job, RunOptions } from "./executor.ts";
import { openKernel } from "../linux/kernel.ts";
import { realPathIfAny } from "../policy/paths.ts";
import {
  choosePrivateFolder,
  makePrivateFolder,
  type PrivateFolder,
  temporaryRootIfAny,
} from "./private_folder.ts";
import { findProgram, ignoredProgram } from "../policy/programs.ts";
import { helperIn, missingProgram, openOutputFile, runningProgram, start } from "./spawn.ts";
import { Supervisor } from "./supervise.ts";
import type { Program } from "../../program.ts";
import { endedWith, withEnded, withEndedFailure } from "./survivors.ts";

/** The options that the executor needs. */
export interface ProgramsOptions extends Omit<ProgramOptions, "programFolder"> {
  /** This program. */
  program: Pick<Program, "directory">;
  /** Whether the system restricts the programs. */
  sandboxed: boolean;
}

/**
 * Runs a tool that starts programs in the main thread. With `sandboxed` the process takes on every
 * restriction when the call runs, for good. A call that is refused starts nothing.
 */
export function programsExecutor(
  tool: RegisteredTool,
  { program, sandboxed, ...rest }: ProgramsOptions,
): Executor {
  const options = { ...rest, programFolder: program.directory };
  return {
    async run(job, running) {
      const definition = await tool.load();
      const { context, sandbox, supervisor } = await contextFor(job, {
        ...options,
        running,
        sandboxed,
      });
      const mayStay = tool.metadata.background === true && !job.background;
      const ended = () => endedWith(supervisor.survivors, mayStay);
      try {
        const content = await definition.run(job.args, context);
        const found = sandbox === undefined ? [] : refusals(content, job, sandbox);
        return withEnded(withNote(content, found), ended());
      } catch (error) {
        const failure = withEndedFailure(toolFailure(error), ended());
        if (sandbox === undefined || failure.code !== "tool_failed") throw failure;
        throw explained(failure, refusals(failure.message, job, sandbox));
      }
    },
    // The tool ends with the process.
    close() {},
  };
}

/** Makes the context of a tool that starts programs, inside the sandbox. Throws `unavailable`. */
async function contextFor(
  job: Job,
  { running, sandboxed, ...options }: ProgramOptions & { running: RunOptions; sandboxed: boolean },
): Promise<{ context: ToolContext; sandbox: ProgramSandbox | undefined; supervisor: Supervisor }> {
  const { grants, programFolder, output } = options;
  const kernel = openKernel();
  const path = sandboxed ? choosePrivateFolder() : undefined;
  // The supervisor starts first, so that the folder's remover is there before the folder.
  const supervisor = new Supervisor(kernel, {
    folder: path ?? "",
    root: temporaryRootIfAny() ?? "",
  });
  const folder = path === undefined ? undefined : makePrivateFolder(path);
  if (folder !== undefined) await supervisor.madeFolder(folder.path);
  const bystander = supervisor.keeper;
  const env = environmentFor(grants, folder);
  const sandbox = folder &&
    confinePrograms(kernel, { ...options, folder, bystander, cwd: job.cwd });
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
      end: () => supervisor.end(child.pid, sandbox?.endAll),
      openOutput: () => output ?? keptOutput(supervisor, folder?.output),
    });
  };
  const helper: ToolContext["helper"] = (name) => helperIn(programFolder, name);
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

/** Finds the parts of a text that report possible refusals by the sandbox. */
function refusals(said: ToolOutput, { grants, cwd }: Job, { plan }: ProgramSandbox): Refusal[] {
  return typeof said === "string" ? refusalsIn(said, { grants, cwd, plan }) : [];
}

/** Adds to a failure inside the sandbox what the sandbox may have refused. */
function explained(failure: CallError, found: Refusal[]): CallError {
  if (found.length === 0) return failure;
  const { code, message, details } = failure;
  const perhapsRefused = found.map(({ permission, flag }) => ({ ...permission, flag }));
  return new CallError(code, `${message}\n${refusalNote(found)}`, { ...details, perhapsRefused });
}

/** Adds a note to a result. A program may continue after a refused access. */
function withNote(
  content: ToolOutput,
  found: Refusal[],
): ToolOutput {
  if (typeof content !== "string" || found.length === 0) return content;
  return [{ type: "text", text: content }, { type: "text", text: refusalNote(found) }];
}

/**
 * The environment of programs. HOME is the caller's if programs may read it or the flags name it.
 * Otherwise it is the private folder.
 */
function environmentFor(grants: Grants, folder: PrivateFolder | undefined): Record<string, string> {
  const env = programEnvironment(grants);
  if (folder === undefined) return env;
  const home = env["HOME"]?.startsWith("/") ? realPathIfAny(env["HOME"]) : undefined;
  const { env: named } = grants.allow;
  const keeps = Array.isArray(named) && named.includes("HOME") &&
      decide({ name: "env", variable: "HOME" }, grants).granted ||
    home !== undefined && decide({ name: "read", path: home }, grants).granted;
  return { ...env, TMPDIR: folder.temporary, ...(!keeps && { HOME: folder.temporary }) };
}
