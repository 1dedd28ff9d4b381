/** What a process gives up before it starts programs: privileges, descriptors, unbounded use. */

import { type Kernel, stepFailed } from "./kernel.ts";

/** The most that each program may use; what is left out has the usual limit, or the caller's. */
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

/** What each program may use unless the caller says otherwise. */
const DEFAULT_LIMITS = { files: 4096, processes: 8192, fileSize: 10 * 2 ** 30 };

const [PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL] = [38, 47, 4];
const PR_SET_DUMPABLE = 4;
const CAPABILITY_VERSION_3 = 0x20080522;
const CLOSE_RANGE_CLOEXEC = 4;
const RESOURCES = { fileSize: 1, core: 4, processes: 6, files: 7 };

/** The caller's limits, and for what they leave out the usual ones. */
export function limitsFor(limits: Limits): Limits {
  return { ...DEFAULT_LIMITS, ...limits };
}

/**
 * Nothing that this thread starts gains privileges by being executed: set-user-id
 * bits and file capabilities do nothing. Throws `unavailable` when it is refused.
 */
export function renounceNewPrivileges(kernel: Kernel): void {
  if (kernel.call("prctl", PR_SET_NO_NEW_PRIVS, 1) !== 0) {
    throw stepFailed("privileges", "no-new-privileges was refused");
  }
}

/**
 * This thread, and what it starts, has no capability any more: as root too it
 * is subject to every check (`capabilities(7)`). Throws `unavailable` when it is refused.
 */
export function dropCapabilities(kernel: Kernel): void {
  kernel.call("prctl", PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL);
  const header = new Uint8Array(new Uint32Array([CAPABILITY_VERSION_3, 0]).buffer);
  const none = new Uint8Array(2 * 3 * 4);
  if (kernel.call("capset", header, none) !== 0) {
    throw stepFailed("privileges", "the capabilities could not be dropped");
  }
}

/**
 * The memory and the environment of this process are no program's to read or write,
 * whatever the flags open of /proc. Throws `unavailable` when it is refused.
 */
export function keepMemory(kernel: Kernel): void {
  if (kernel.call("prctl", PR_SET_DUMPABLE, 0) !== 0) {
    throw stepFailed("privileges", "the memory of this process could not be kept from programs");
  }
}

/** No descriptor but the first three is handed on to a program. Throws `unavailable` when it is refused. */
export function keepDescriptors(kernel: Kernel): void {
  if (kernel.call("close_range", 3, 0xffffffff, CLOSE_RANGE_CLOEXEC) !== 0) {
    throw stepFailed("descriptors", "they could not be kept from programs (Linux 5.11)");
  }
}

/**
 * Bounds what this process and each that it starts may use, but for memory: what
 * this one has reserved is beyond any bound. Throws `unavailable` when it is refused.
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
