import { keepFileCalls } from "../../../base/fs/system_file.ts";
import type { OutputFile, ToolContext } from "../../registry/tool_context.ts";
import type { Program } from "../../program.ts";
import { type Limits, openKernel } from "../linux/kernel.ts";
import { confinePrograms, type ProgramSandbox } from "../linux/program_sandbox.ts";
import { NativePrograms, type StartedProgram } from "../linux/native_programs.ts";
import type { Grants } from "../policy/grants.ts";
import { findProgram, ignoredProgram } from "../policy/programs.ts";
import { CallDirectories } from "./call_directories.ts";
import { helperContext } from "./context.ts";
import type { Job, RunOptions } from "./executor.ts";
import { type HostEnvironment, hostEnvironment } from "./host_environment.ts";
import {
  choosePrivateDirectory,
  makePrivateDirectory,
  openOutputFile,
  type PrivateDirectory,
  temporaryRootIfAny,
} from "./private_directory.ts";
import { missingProgram, runningProgram, start } from "./spawn.ts";
import { Supervisor } from "./supervise.ts";

/** The options of a host. */
export interface ProgramHostOptions {
  /** This program. */
  program: Pick<Program, "directory">;
  /** The permissions of the flags. */
  grants: Grants;
  /** The resource limits of programs. */
  limits: Limits;
  /** The working directory of the calls. */
  cwd: string;
  /** The file for the output of a background task's program; present only in such a call. */
  output?: OutputFile;
  /** Whether the system restricts the programs. */
  sandboxed: boolean;
  /** Whether more than one call may follow, each after the one before. */
  stays?: boolean;
}

/** The process as the place where programs start: their sandbox, their files and their end. */
export class ProgramHost {
  /** The sandbox that this process has entered, if the plan has one. */
  readonly sandbox: ProgramSandbox | undefined;
  /** Ends the programs of a call. */
  readonly supervisor: Supervisor;
  #options: ProgramHostOptions;
  #directory: PrivateDirectory | undefined;
  #directories: CallDirectories | undefined;
  #environment: HostEnvironment;
  #hasOutput = false;
  #native: NativePrograms | undefined;
  #children: StartedProgram[] = [];

  private constructor(options: ProgramHostOptions, made: {
    sandbox: ProgramSandbox | undefined;
    supervisor: Supervisor;
    directory: PrivateDirectory | undefined;
    directories: CallDirectories | undefined;
    environment: HostEnvironment;
    native: NativePrograms | undefined;
  }) {
    this.#options = options;
    this.#native = made.native;
    this.sandbox = made.sandbox;
    this.supervisor = made.supervisor;
    this.#directory = made.directory;
    this.#directories = made.directories;
    this.#environment = made.environment;
  }

  /**
   * Makes this process a host, which enters the sandbox for good. `onDirectory` gets the directory
   * for temporary files before that. Throws `unavailable`.
   */
  static async open(
    options: ProgramHostOptions,
    onDirectory?: (temporary: string) => void,
  ): Promise<ProgramHost> {
    const { grants, limits, cwd, sandboxed, stays = false } = options;
    keepFileCalls(); // Looks at hundreds of paths follow.
    const kernel = openKernel();
    const path = sandboxed ? choosePrivateDirectory() : undefined;
    const native = NativePrograms.open();
    const hasThreads = sandboxed ? native?.starter.makeWaitingThreads() : undefined;
    // The supervisor starts first, so that the directory's remover is there before the directory.
    const places = { directory: path, root: temporaryRootIfAny() };
    const supervisor = new Supervisor(kernel, { ...places, stays, native });
    const directory = path === undefined ? undefined : makePrivateDirectory(path);
    if (directory !== undefined) await supervisor.madeDirectory(directory.path);
    const environment = hostEnvironment(grants, directory !== undefined);
    const directories = stays && kernel !== undefined && directory !== undefined
      ? new CallDirectories(kernel, directory.temporary)
      : undefined;
    if (directory !== undefined) onDirectory?.(directory.temporary);
    await hasThreads;
    const sandbox = directory && await confinePrograms(kernel, {
      ...{ grants, limits, cwd },
      programDirectory: options.program.directory,
      temporary: directory.temporary,
      bystander: supervisor.keeper,
    });
    return new ProgramHost(options, {
      ...{ sandbox, supervisor, directory, directories, environment, native },
    });
  }

  /**
   * Starts a program with an open stdin, and without a stderr, as the only one of this process.
   * Throws `unavailable`.
   */
  startOpen(program: string, args: readonly string[]): Deno.ChildProcess {
    const command = [this.#find(program), ...args];
    const [path = "", ...rest] = this.sandbox?.command(command) ?? command;
    this.supervisor.awaitKeeper();
    const child = new Deno.Command(path, {
      ...{ args: rest, cwd: this.#options.cwd, clearEnv: true, detached: true },
      ...{ env: this.#variables(), stdin: "piped", stdout: "piped", stderr: "null" },
    }).spawn();
    this.supervisor.started(child.pid);
    return child;
  }

  /** The path of a program. Throws `unavailable`. */
  #find(program: string): string {
    const { write } = this.#options.grants.allow;
    const found = findProgram(program, write);
    if (found === undefined) throw missingProgram(program, ignoredProgram(program, write));
    return found.path;
  }

  /** The environment of the programs of a call, with its directory for temporary files. */
  #variables(): Record<string, string> {
    const temporary = this.#directories?.begin() ?? this.#directory?.temporary;
    const { variables, keepsHome } = this.#environment;
    return {
      ...variables,
      ...(temporary !== undefined && { TMPDIR: temporary, ...(!keepsHome && { HOME: temporary }) }),
    };
  }

  /** The context of a tool in a call. */
  contextFor(job: Job, running: RunOptions): ToolContext {
    const { output, sandboxed } = this.#options;
    const { sandbox, supervisor } = this;
    const env = this.#variables();
    const spawn: ToolContext["spawn"] = (program, args, given = {}) => {
      const { cwd = job.cwd, stdin, mergesOutput = false } = given;
      const path = this.#find(program);
      supervisor.awaitKeeper();
      const confined = (command: string[]) => sandbox?.command(command) ?? command;
      const place = { cwd, env: { ...env, ...given.env } };
      const native = stdin === undefined &&
        this.#native?.start(confined([path, ...args]), { ...place, mergesOutput });
      const command = mergesOutput ? mergedByShell(path, args) : [path, ...args];
      const child = native || start(confined(command), { ...place, stdin });
      this.#children.push(child);
      supervisor.started(child.pid);
      return runningProgram(child, {
        end: () => supervisor.endProgram(child.pid, sandbox?.endAll),
        openOutput: () => output ?? this.#keptOutput(),
      });
    };
    const context = helperContext(job, running, { helper: undefined, landlock: false });
    return { ...context, spawn, isSandboxed: sandboxed };
  }

  /**
   * Ends a call. Returns whether another one may follow: nothing of this one is left, neither a
   * process nor a file.
   */
  async endCall(): Promise<boolean> {
    // An output that no tool has read to its end keeps a descriptor open.
    const outputs = this.#children.splice(0).flatMap(({ stdout, stderr }) => [stdout, stderr]);
    await Promise.all(outputs.map((output) => output.cancel().catch(() => {})));
    if (this.#hasOutput || !await this.supervisor.forgetCall()) return false;
    return this.#directories?.end() ?? this.#directory === undefined;
  }

  /** The file of a long output, which stays after the call unless it could not take all. */
  #keptOutput(): OutputFile {
    this.#hasOutput = true;
    const { supervisor } = this;
    supervisor.keepOutput();
    const own = this.#directory?.output;
    if (own === undefined) return openOutputFile();
    return {
      ...own,
      discard: () => {
        own.file.truncateSync(0);
        supervisor.dropOutput();
      },
    };
  }
}

/** The command of a shell that makes its stderr the same pipe as its stdout, and starts itself again. */
function mergedByShell(shell: string, args: readonly string[]): string[] {
  return [shell, "-c", 'exec "$0" "$@" 2>&1', shell, ...args];
}
