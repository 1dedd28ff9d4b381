import { ignoreFileSizeSignal } from "../../../base/fs/file_size_signal.ts";
import { withoutTraces } from "../../../base/without_traces.ts";
import type { Grants } from "../policy/grants.ts";
import { type Kernel, programsNotConfined, sandboxMissing } from "./kernel.ts";
import { networkFor } from "../policy/network.ts";
import { revokeKinds } from "../policy/permissions.ts";
import type { OutputFile } from "../../registry/tool_context.ts";
import type { PrivateFolder } from "../executors/private_folder.ts";
import type { Limits } from "./privileges.ts";
import {
  type EnteredSandbox,
  enterProgramSandbox,
  merged,
  programRights,
} from "./program_sandbox.ts";
import { findProgram } from "../policy/programs.ts";
import type { Scope } from "../policy/scope.ts";
import { macBaseRights, seatbeltProfile } from "../macos/seatbelt.ts";
import { missingProgram } from "../executors/spawn.ts";

/** The options of an executor for tools that start programs. */
export interface ProgramOptions {
  /** The permissions of the flags. */
  grants: Grants;
  /** The directory of the program's own files. */
  programFolder: string;
  /** The resource limits of programs. */
  limits: Limits;
  /** The file for the output of a background task's program; present only in such a call. */
  output?: OutputFile;
}

/** The options for confining the programs of a call. */
export interface SandboxOptions extends ProgramOptions {
  /** The call's own folder. */
  folder: PrivateFolder;
  /** A process of this user outside the sandbox. */
  bystander: number | undefined;
  /** The working directory of the call. */
  cwd: string;
}

/**
 * A sandbox that programs are started in. The kernel must stay open for as long as `endAll` may be
 * called.
 */
export interface ProgramSandbox extends EnteredSandbox {
  /** Returns the command to start instead of a command. */
  command(command: string[]): string[];
}

/**
 * Makes the system restrict programs to the flags: on Linux by a sandbox that this thread enters,
 * for good; on macOS by the program that starts each command. This process keeps the permission to
 * start programs, and none to change anything itself. Throws `unavailable` if that is not possible.
 */
export function confinePrograms(
  kernel: Kernel | undefined,
  options: SandboxOptions,
): ProgramSandbox {
  const { grants, limits, folder, bystander, cwd } = options;
  const programFolder = Deno.realPathSync(options.programFolder);
  const sandbox = { grants, limits, bystander, cwd, programFolder, temporary: folder.temporary };
  try {
    if (Deno.build.os === "windows") throw sandboxMissing();
    if (Deno.build.os === "darwin") {
      const plan = networkFor(grants, Infinity);
      const profile = seatbeltProfile(merged(programRights(sandbox, macBaseRights)), plan);
      const start = ["/usr/bin/sandbox-exec", "-p", profile];
      return { plan, command: (command) => [...start, ...command] };
    }
    if (limits.fileSize !== undefined) ignoreFileSizeSignal();
    const entered = withoutTraces(() => enterProgramSandbox(kernel, sandbox));
    const through = entered.through === undefined ? [] : [entered.through];
    const command = (command: string[]) => [
      ...through,
      ...bounded(command, limits, grants.allow.write),
    ];
    return { ...entered, command };
  } catch (error) {
    throw programsNotConfined((error as Error).message);
  } finally {
    revokeKinds(["write", "env", "sys", "net", "import", "ffi"]);
  }
}

/**
 * The command, started through a shell that limits its memory. Only the process itself can set that
 * limit.
 */
function bounded(
  command: string[],
  { memory }: Limits,
  writable: Scope | undefined,
): string[] {
  if (memory === undefined) return command;
  const bash = findProgram("bash", writable);
  if (bash === undefined) throw missingProgram("bash");
  const kibibytes = String(Math.ceil(memory / 1024));
  const script = 'ulimit -v "$1" && shift && exec "$@"';
  return [bash.path, "-c", script, "bash", kibibytes, ...command];
}
