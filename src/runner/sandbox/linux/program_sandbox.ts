/** The sandbox of programs: the effect of the flags on bash and all that it starts. */

import { ignoreFileSizeSignal } from "../../../base/fs/file_size_signal.ts";
import { withoutStackTraces } from "../../../base/without_stack_traces.ts";
import type { Grants } from "../policy/grants.ts";
import { revokeKinds } from "../policy/permissions.ts";
import { networkFor, type NetworkPlan, programRights } from "../policy/program_rights.ts";
import { findProgram } from "../policy/programs.ts";
import type { Scope } from "../policy/scope.ts";
import { missingProgram } from "../executors/spawn.ts";
import {
  dropCapabilities,
  type Kernel,
  type Limits,
  limitsFor,
  programsNotConfined,
  randomWords,
  renounceNewPrivileges,
  sandboxMissing,
  setLimits,
  stepFailed,
  withholdDescriptors,
  withholdMemory,
} from "./kernel.ts";
import { enterLandlock, landlockVersion, since } from "./landlock.ts";
import { enterNamespaces, makeNamespaces } from "./mount_namespace.ts";
import { requireProc } from "./proc.ts";
import { enterSystemCallFilter, systemCallFilter } from "./seccomp.ts";

const SIGKILL = 9;

/** The options of the sandbox. */
export interface ProgramSandboxOptions {
  /** The permissions of the flags. */
  grants: Grants;
  /** The directory of the program's own modules, which may be read. */
  programDirectory: string;
  /** The call's own directory, which may be read and written. */
  temporary: string;
  /** The resource limits of each program. */
  limits: Limits;
  /** A process of this user outside the sandbox, if there is one. */
  bystander: number | undefined;
  /** The working directory of the call. */
  cwd: string;
}

/**
 * A sandbox that programs are started in. The kernel must stay open while `endAll` may be called.
 */
export interface ProgramSandbox {
  /** The network access of programs. */
  plan: NetworkPlan;
  /** Returns the command to start instead of a command. */
  command(command: string[]): string[];
  /**
   * Kills all started programs at once, if the kernel keeps the signal inside the sandbox. An outer
   * sandbox may refuse it.
   */
  endAll?(): void;
}

/**
 * Makes the system restrict programs to the flags: on Linux by a sandbox that this thread enters,
 * for good; on macOS by the program that starts each command. This process keeps the permission to
 * start programs, and none to change anything itself. Throws `unavailable` if that is not possible.
 */
export async function confinePrograms(
  kernel: Kernel | undefined,
  given: ProgramSandboxOptions,
): Promise<ProgramSandbox> {
  const options = { ...given, programDirectory: Deno.realPathSync(given.programDirectory) };
  const { grants, limits } = options;
  try {
    if (Deno.build.os === "windows") throw sandboxMissing();
    if (Deno.build.os === "darwin") {
      return (await import("../macos/seatbelt.ts")).seatbeltSandbox(options);
    }
    if (limits.fileSize !== undefined) ignoreFileSizeSignal();
    const { through, ...entered } = withoutStackTraces(() => enterSandbox(kernel, options));
    const command = (command: string[]) => [
      ...(through === undefined ? [] : [through]),
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
 * Enters the sandbox in this thread, for good. It restricts everything that the thread starts from
 * now on. `through` is the program that starts each command, if one is needed. Throws
 * `unavailable`, with its own text for each step that fails. After that, no program may be started.
 */
function enterSandbox(
  kernel: Kernel | undefined,
  options: ProgramSandboxOptions,
): Omit<ProgramSandbox, "command"> & { through: string | undefined } {
  const version = kernel === undefined ? 0 : landlockVersion(kernel);
  if (kernel === undefined || version < 1) throw sandboxMissing();
  requireProc();
  const plan = networkFor(options.grants, version);
  const { network, ports } = plan;
  const namespaces = makeNamespaces(kernel, { ...options, temporary: [options.temporary] });
  const key = randomWords(kernel, 3);
  const filter = systemCallFilter({
    network,
    // The group may belong to a pipeline that the caller's shell made.
    own: { pid: Deno.pid, group: kernel.call("getpgid", 0) },
    restrictsTruncate: version >= since.truncate,
    key,
  });
  const { bystander = 0 } = options;
  const isThere = bystander > 0 && kernel.call("kill", bystander, 0) === 0;
  withholdDescriptors(kernel);
  const through = namespaces && enterNamespaces(kernel, { namespaces, key, cwd: options.cwd });
  setLimits(kernel, limitsFor(options.limits));
  renounceNewPrivileges(kernel);
  enterLandlock(kernel, version, {
    ...programRights(options),
    ...(network !== "all" && { ports }),
    isolated: true,
  });
  withholdMemory(kernel);
  dropCapabilities(kernel);
  enterSystemCallFilter(kernel, filter);
  if (version < since.signals || !isThere) return { plan, through };
  // Test it: a signal that went further would end all of the user's programs.
  if (kernel.call("kill", bystander, 0) === 0) {
    throw stepFailed("Landlock", "signals still reach the processes outside of it");
  }
  return { plan, through, endAll: () => void kernel.call("kill", -1, SIGKILL, ...key) };
}

/** The command, started through a shell. Only the process itself can limit its memory. */
function bounded(command: string[], { memory }: Limits, writable: Scope | undefined): string[] {
  if (memory === undefined) return command;
  const bash = findProgram("bash", writable);
  if (bash === undefined) throw missingProgram("bash");
  const kibibytes = String(Math.ceil(memory / 1024));
  const script = 'ulimit -v "$1" && shift && exec "$@"';
  return [bash.path, "-c", script, "bash", kibibytes, ...command];
}
