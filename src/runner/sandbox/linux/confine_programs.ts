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

/** What the place of a tool that starts programs is made of. */
export interface ProgramOptions {
  /** The permissions of the flags. */
  grants: Grants;
  /** The folder of the program's own files. */
  programFolder: string;
  /** The resource limits of programs. */
  limits: Limits;
  /** The file that takes the output of a background task's program; there when the call is one. */
  output?: OutputFile;
}

/** What is needed to hold the programs of a call. */
export interface SandboxOptions extends ProgramOptions {
  /** The call's own folder. */
  folder: PrivateFolder;
  /** A process of this user that is not to be held. */
  bystander: number | undefined;
  /** The working directory of the call. */
  cwd: string;
}

/** Programs that are held; the kernel has to stay open for as long as `endAll` may be called. */
export interface ProgramSandbox extends EnteredSandbox {
  /** Makes of a command the one that is started for it. */
  command(command: string[]): string[];
}

/**
 * Sees to it that programs are held to the flags by the system: on Linux by what
 * this thread enters, for good; on macOS by what each command is started with. This
 * process keeps the permission to start programs and none to change anything itself.
 * Throws `unavailable` where that cannot be.
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

/** The command behind a limit of memory, which only the process itself can be given. */
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
