/**
 * Gives up privileges and descriptors of a process, and limits its use of resources, before it
 * starts programs.
 */

import { type Kernel, stepFailed } from "./kernel.ts";

/** The resource limits of each program. A missing one has its default, or the caller's value. */
export interface Limits {
  /** Open files. */
  files?: number;
  /** Processes and threads of the user, all programs together. */
  processes?: number;
  /** The size of a file that is written, in bytes. */
  fileSize?: number;
  /** The address space of each process, in bytes. */
  memory?: number;
}

/** The default limits of each program. */
const DEFAULT_LIMITS = { files: 4096, processes: 8192, fileSize: 10 * 2 ** 30 };

const [PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL] = [38, 47, 4];
const PR_SET_DUMPABLE = 4;
/** The version of the structures that give up capabilities (`capset(2)`). */
export const CAPABILITY_VERSION_3 = 0x20080522;
const CLOSE_RANGE_CLOEXEC = 4;
const RESOURCES = { fileSize: 1, core: 4, processes: 6, files: 7 };

/** The caller's limits, completed by the defaults. */
export const limitsFor = (limits: Limits): Limits => ({ ...DEFAULT_LIMITS, ...limits });

/**
 * Keeps programs that this thread starts from gaining privileges: set-user-id bits and file
 * capabilities have no effect. Throws `unavailable` when it is refused.
 */
export function renounceNewPrivileges(kernel: Kernel): void {
  if (kernel.call("prctl", PR_SET_NO_NEW_PRIVS, 1) !== 0) {
    throw stepFailed("privileges", "no-new-privileges was refused");
  }
}

/** Root needs these to open files of others, and to give a file to another or set its mode. */
const [CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER] = [1, 2, 4, 8];

/** The capabilities that a tool of files keeps: with `owners`, it may give files to others. */
export function fileCapabilities({ owners }: { owners: boolean }): number {
  const opening = CAP_DAC_OVERRIDE | CAP_DAC_READ_SEARCH;
  return owners ? opening | CAP_CHOWN | CAP_FOWNER : opening;
}

/**
 * Takes all capabilities from this thread, and from programs that it starts, except for those of
 * `kept` that it had. So as root, too, it is subject to every check (`capabilities(7)`). Throws
 * `unavailable` when it is refused.
 */
export function dropCapabilities(kernel: Kernel, kept = 0): void {
  kernel.call("prctl", PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL);
  const header = new Uint8Array(new Uint32Array([CAPABILITY_VERSION_3, 0]).buffer);
  // Effective, permitted and inheritable ones: the low half of each, then the high one.
  const sets = new Uint32Array(2 * 3);
  const bytes = new Uint8Array(sets.buffer);
  if (kept !== 0 && kernel.call("capget", header, bytes) !== 0) sets.fill(0);
  const [effective, permitted] = sets.map((set) => set & kept);
  sets.set([effective!, permitted!, 0, 0, 0, 0]);
  if (kernel.call("capset", header, bytes) !== 0) {
    throw stepFailed("privileges", "the capabilities could not be dropped");
  }
}

/**
 * Keeps programs from reading or writing the memory and the environment of this process, whatever
 * the flags open of /proc. Throws `unavailable` when it is refused.
 */
export function keepMemory(kernel: Kernel): void {
  if (kernel.call("prctl", PR_SET_DUMPABLE, 0) !== 0) {
    throw stepFailed("privileges", "the memory of this process could not be kept from programs");
  }
}

/**
 * Hands only the first three descriptors on to programs. Throws `unavailable` when it is refused.
 */
export function keepDescriptors(kernel: Kernel): void {
  if (kernel.call("close_range", 3, 0xffffffff, CLOSE_RANGE_CLOEXEC) !== 0) {
    throw stepFailed("descriptors", "they could not be kept from programs (Linux 5.11)");
  }
}

/**
 * Limits the resources of this process and each that it starts, except memory: this process has
 * already reserved more than any limit. Throws `unavailable` when it is refused.
 */
export function setLimits(kernel: Kernel, { memory: _, ...limits }: Limits): void {
  for (const [name, most] of Object.entries({ ...limits, core: 0 })) {
    const resource = RESOURCES[name as keyof typeof RESOURCES];
    const had = new BigUint64Array(2);
    const read = kernel.call("prlimit64", 0, resource, 0, new Uint8Array(had.buffer));
    const hard = BigInt(most) < had[1]! ? BigInt(most) : had[1]!;
    const set = new Uint8Array(new BigUint64Array([hard, hard]).buffer);
    if (read !== 0 || kernel.call("prlimit64", 0, resource, set) !== 0) {
      throw stepFailed("limits", `the limit for ${name} was refused`);
    }
  }
}
