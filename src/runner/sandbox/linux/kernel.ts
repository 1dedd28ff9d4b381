/**
 * The Linux kernel: its system calls, made through the C library's one function for them, and the
 * privileges, descriptors and resources that a process gives up by them before it starts programs.
 */

import { asWord, loadCLibrary } from "../../../base/fs/c_library.ts";
import { CallError } from "../../../base/errors.ts";

/** System calls with a different number on each machine. */
// deno-fmt-ignore
const X86_64 = {
  write: 1, open: 2, close: 3, mmap: 9, mprotect: 10, munmap: 11, rt_sigprocmask: 14, ioctl: 16,
  shmget: 29, shmat: 30, shmctl: 31, socket: 41, sendto: 44, sendmsg: 46, listen: 50,
  socketpair: 53, clone: 56, wait4: 61, kill: 62, semget: 64, semop: 65, semctl: 66, msgget: 68,
  msgsnd: 69, msgrcv: 70, msgctl: 71, fcntl: 72, truncate: 76, ftruncate: 77, getcwd: 79,
  chdir: 80, creat: 85, io_setup: 206,
  chmod: 90, fchmod: 91, ptrace: 101, geteuid: 107, getegid: 108, getpgid: 121, capget: 125,
  capset: 126, rt_sigqueueinfo: 129, mknod: 133, setpriority: 141, sched_setscheduler: 144,
  pivot_root: 155, prctl: 157, chroot: 161, mount: 165, umount2: 166, tkill: 200, semtimedop: 220,
  tgkill: 234, mq_open: 240, mq_unlink: 241, add_key: 248, request_key: 249, keyctl: 250,
  flistxattr: 196, ioprio_set: 251, openat: 257, mkdirat: 258, mknodat: 259, unlinkat: 263,
  readlinkat: 267, fchmodat: 268, faccessat: 269, unshare: 272, rt_tgsigqueueinfo: 297, perf_event_open: 298, prlimit64: 302,
  open_by_handle_at: 304, sendmmsg: 307, setns: 308, process_vm_readv: 310, process_vm_writev: 311,
  kcmp: 312, sched_setattr: 314, seccomp: 317, getrandom: 318, memfd_create: 319, bpf: 321, userfaultfd: 323,
};
// deno-fmt-ignore
const AARCH64 = {
  io_setup: 0,
  flistxattr: 13, getcwd: 17, fcntl: 25, ioctl: 29, ioprio_set: 30, mknodat: 33, mkdirat: 34, unlinkat: 35, umount2: 39, mount: 40,
  pivot_root: 41, truncate: 45, ftruncate: 46, faccessat: 48, chdir: 49, chroot: 51, fchmod: 52,
  fchmodat: 53, openat: 56, close: 57, write: 64, readlinkat: 78, capget: 90, capset: 91,
  unshare: 97, ptrace: 117, sched_setscheduler: 119, kill: 129, tkill: 130, tgkill: 131,
  rt_sigprocmask: 135, rt_sigqueueinfo: 138, setpriority: 140, getpgid: 155, prctl: 167,
  geteuid: 175, getegid: 177, mq_open: 180, mq_unlink: 181, msgget: 186, msgctl: 187, msgrcv: 188,
  msgsnd: 189, semget: 190, semctl: 191, semtimedop: 192, semop: 193, shmget: 194, shmctl: 195,
  shmat: 196, socket: 198, socketpair: 199, listen: 201, sendto: 206, sendmsg: 211, munmap: 215,
  add_key: 217, request_key: 218, keyctl: 219, clone: 220, mmap: 222, mprotect: 226,
  rt_tgsigqueueinfo: 240, perf_event_open: 241, wait4: 260, prlimit64: 261, open_by_handle_at: 265,
  setns: 268, sendmmsg: 269, process_vm_readv: 270, process_vm_writev: 271, kcmp: 272,
  sched_setattr: 274, seccomp: 277, getrandom: 278, memfd_create: 279, bpf: 280, userfaultfd: 282,
};
/** From 424 on, the numbers are the same on every machine. */
// deno-fmt-ignore
const COMMON = {
  pidfd_send_signal: 424, io_uring_setup: 425, io_uring_enter: 426, io_uring_register: 427,
  open_tree: 428, move_mount: 429, fsopen: 430, fsconfig: 431, fsmount: 432, fspick: 433,
  clone3: 435, close_range: 436, openat2: 437, pidfd_getfd: 438, process_madvise: 440,
  mount_setattr: 442, landlock_create_ruleset: 444, landlock_add_rule: 445,
  landlock_restrict_self: 446, fchmodat2: 452, statmount: 457, listmount: 458, open_tree_attr: 467,
  file_setattr: 469,
};

/** A system call that the sandbox uses or restricts (`syscalls(2)`). */
export type SystemCallName = keyof typeof X86_64 | keyof typeof COMMON;

type Numbers = Readonly<Partial<Record<SystemCallName, number>>>;

const [ofMachine, ofAll]: [Numbers, Numbers] = [
  Deno.build.arch === "x86_64" ? X86_64 : AARCH64,
  COMMON,
];

/** The number of a system call on this machine, or `undefined` if the machine does not have it. */
export function systemCallNumber(name: SystemCallName): number | undefined {
  return ofMachine[name] ?? ofAll[name];
}

/** The memory of the arguments of one system call, and the size of a word, in bytes. */
const [MEMORY_BYTES, WORD_BYTES] = [32_768, 8];

/** An argument of a system call; memory is given as its bytes. */
export type Word = number | bigint | Uint8Array<ArrayBuffer>;

/** The system calls that are needed to build the sandbox. */
export interface Kernel {
  /** Makes a system call. Missing arguments are 0. The result is negative when it fails. */
  call(
    name: SystemCallName,
    ...args: [a?: Word, b?: Word, c?: Word, d?: Word, e?: Word, f?: Word]
  ): number;
  /** Closes the library. */
  close(): void;
}

/** Opens the C library; `undefined` on other systems than Linux, or without the GNU C library. */
export function openKernel(): Kernel | undefined {
  const library = loadCLibrary("syscall");
  if (library === undefined) return undefined;
  // It takes numbers in place of BigInts too, which its type does not say.
  const syscall = library.symbols.syscall as unknown as (...words: Word[]) => bigint;
  // Memory is copied to a place with a known address: once the permission for native code is given
  // up, no other address can be taken.
  const memory = new Uint8Array(MEMORY_BYTES);
  const base = Number(address(memory));
  const zero = asWord(0);
  const copied: [bytes: Uint8Array<ArrayBuffer>, at: number][] = [];
  let used = 0;
  const word = (value: Word): number | bigint => {
    if (typeof value !== "object") return value;
    const at = used;
    used += Math.ceil(value.length / WORD_BYTES) * WORD_BYTES;
    memory.set(value, at);
    copied.push([value, at]);
    return base + at;
  };
  return {
    // A cold call makes hundreds of these. Most have only numbers, which take 1 microsecond each.
    call: (name, a = 0, b = 0, c = 0, d = 0, e = 0, f = 0) => {
      const number = systemCallNumber(name)!;
      copied.length = used = 0;
      const last = f === 0 ? zero : asWord(word(f));
      const result = Number(syscall(number, word(a), word(b), word(c), word(d), word(e), last));
      for (const [bytes, at] of copied) bytes.set(memory.subarray(at, at + bytes.length));
      return result;
    },
    close: () => library.close(),
  };
}

/** A text with a NUL, as system calls take a path. */
export function pathBytes(path: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${path}\0`);
}

/** A directory descriptor that stands for the working directory. */
export const AT_FDCWD = -100;

/** The address of some memory, as other structures contain it. */
export function address(bytes: Uint8Array<ArrayBuffer>): bigint {
  return Deno.UnsafePointer.value(Deno.UnsafePointer.of(bytes));
}

/**
 * Random words of 32 bits. The runtime's own random numbers cost a cold call 0.1 ms. Throws
 * `unavailable` if the kernel gives none.
 */
export function randomWords(kernel: Kernel, count: number): number[] {
  const words = new Uint32Array(count);
  const bytes = new Uint8Array(words.buffer);
  if (kernel.call("getrandom", bytes, bytes.length) !== bytes.length) {
    throw stepFailed("seccomp", "the kernel gives no random numbers");
  }
  return [...words];
}

/** The failure of one step of entering the sandbox; the call does not run without it. */
export function stepFailed(layer: string, why: string): CallError {
  return new CallError("unavailable", `Cannot enter the kernel's sandbox (${layer}): ${why}`);
}

/** The failure of a call whose programs cannot be confined, with advice. */
export function programsNotConfined(why: string): CallError {
  return new CallError(
    "unavailable",
    `${why}; --unconfined-run starts programs without a sandbox`,
  );
}

/** The failure of a call that starts programs on a machine without a sandbox for them. */
export function sandboxMissing(): CallError {
  return new CallError(
    "unavailable",
    "Cannot sandbox programs: this system has no Landlock (Linux 5.13 or later), or it is disabled",
  );
}

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
 * Programs can then neither read nor write the memory and the environment of this process, whatever
 * the flags open of /proc. Throws `unavailable` when it is refused.
 */
export function withholdMemory(kernel: Kernel): void {
  if (kernel.call("prctl", PR_SET_DUMPABLE, 0) !== 0) {
    throw stepFailed(
      "privileges",
      "the memory of this process could not be protected from programs",
    );
  }
}

/**
 * Programs then get only the first three descriptors of this process. Throws `unavailable` when it
 * is refused.
 */
export function withholdDescriptors(kernel: Kernel): void {
  if (kernel.call("close_range", 3, 0xffffffff, CLOSE_RANGE_CLOEXEC) !== 0) {
    throw stepFailed("descriptors", "they could not be protected from programs (Linux 5.11)");
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
