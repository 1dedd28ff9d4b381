/**
 * The filter of system calls (`seccomp(2)`) for what Landlock leaves open:
 * sockets, the memory and signals of other processes, kernel interfaces that go
 * round a check of paths, and calls of another architecture.
 */

import {
  type AddRule,
  allow,
  anyBit,
  type Code,
  equals,
  fail,
  load,
  oneOf,
  sizeOf,
} from "./bpf.ts";
import { ioctlRule } from "./ioctl_rules.ts";
import { address, type Kernel, stepFailed } from "./kernel.ts";
import { type ProgramNetwork, socketRules } from "./socket_rules.ts";
import { type Arch, type SystemCallName, systemCallNumbers } from "./system_call_numbers.ts";

/** The options of a filter. */
export interface FilterOptions {
  /** The machine. */
  arch: Arch;
  /** The sockets that may be made. */
  network: ProgramNetwork;
  /** The process and the process group that no signal may reach. */
  own: { pid: number; group: number };
  /** Whether Landlock restricts truncating by path, as it does from its version 3 on. */
  restrictsTruncate: boolean;
  /**
   * Three words of 32 bits, passed as further arguments, which the kernel does not look at. With
   * them a signal may go to every process that Landlock lets it reach, and a namespace may be
   * entered. Programs cannot know them.
   */
  key?: readonly number[];
}

/**
 * These calls are refused. The last lines are about memory and messages shared with the user's
 * other programs.
 */
// deno-fmt-ignore
const REFUSED: readonly SystemCallName[] = [
  "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd",
  "perf_event_open", "bpf", "userfaultfd", "add_key", "request_key", "keyctl",
  "mount", "umount2", "pivot_root", "chroot", "move_mount", "fsopen", "fsconfig", "fsmount",
  "fspick", "open_tree", "mount_setattr", "open_tree_attr", "file_setattr", "unshare", "open_by_handle_at",
  "shmget", "shmat", "shmctl", "semget", "semop", "semctl", "semtimedop",
  "msgget", "msgsnd", "msgrcv", "msgctl", "mq_open", "mq_unlink",
];
/**
 * These calls fail as if they were missing, because a filter cannot see their arguments. Programs
 * then use another way.
 */
const MISSING: readonly SystemCallName[] = [
  "io_uring_setup",
  "io_uring_enter",
  "io_uring_register",
  "clone3",
  "pidfd_send_signal",
  "statmount",
  "listmount",
  "openat2",
];

const AUDIT_ARCH = { x86_64: 0xc000003e, aarch64: 0xc00000b7 };
const [EPERM, EACCES, ENOSYS] = [1, 13, 38];
const X32_BIT = 0x40000000;
const NEW_NAMESPACES = 0x7e020000;
const [O_ACCMODE, O_RDONLY, O_TRUNC] = [0b11, 0, 0o1000];
/** O_CREAT and __O_TMPFILE: with either of them, a new file gets the mode that is given. */
const CREATES = 0o100 | 0o20000000;
const [S_ISUID, S_ISGID] = [0o4000, 0o2000];
/** The calls that set a file's mode, and the index of that argument. */
const MODES: readonly [name: SystemCallName, arg: number][] = [
  ["chmod", 1],
  ["fchmod", 1],
  ["fchmodat", 2],
  ["fchmodat2", 2],
  ["creat", 1],
  ["mknod", 1],
  ["mknodat", 2],
];
const [F_SETOWN, F_SETOWN_EX, F_SETLEASE, F_SETDELEG] = [8, 15, 1024, 1040];

const [PRIO_PROCESS, IOPRIO_WHO_PROCESS] = [0, 1];
const [SCHED_BATCH, SCHED_IDLE, SCHED_RESET_ON_FORK] = [3, 5, 0x40000000];

/** The whole argument is compared. */
const WHOLE = 0xffffffff;

/**
 * The program of the filter, in the kernel's own form (`struct sock_filter[]`). It allows calls
 * that it does not name: Landlock and the missing privileges restrict those.
 */
export function filterProgram(options: FilterOptions): Uint8Array<ArrayBuffer> {
  const numbers = systemCallNumbers(options.arch);
  const words: number[] = [
    ...[...load(4), ...equals(AUDIT_ARCH[options.arch], 1, 0), ...fail(ENOSYS)],
    ...[...load(0), 0x35 | 1 << 24, X32_BIT, ...fail(ENOSYS)],
  ];
  const rule: AddRule = (name, then) => {
    const number = numbers[name];
    if (number === undefined) return;
    words.push(0x15 | sizeOf(then) << 24, number);
    for (const word of then) words.push(word);
  };
  for (const name of REFUSED) rule(name, fail(EPERM));
  for (const name of MISSING) rule(name, fail(ENOSYS));
  signalRules(rule, options);
  socketRules(rule, options.network);
  fileRules(rule, options);
  rule("setns", withKey(options.key ?? []));
  rule("clone", anyBit([0, NEW_NAMESPACES], fail(EPERM), allow));
  priorityRules(rule);
  words.push(...allow);
  return new Uint8Array(Uint32Array.from(words).buffer);
}

/**
 * From its version 6 on, Landlock keeps signals among the call's own processes. The engine is one
 * of them, so this rule protects it.
 */
function signalRules(rule: AddRule, { own: { pid, group }, key = [] }: FilterOptions): void {
  const toAll = withKey(key);
  const toOther = oneOf([0, WHOLE, pid, -pid, -group], fail(EPERM), allow);
  rule("kill", oneOf([0, WHOLE, -1], toAll, toOther));
  const toOwn = oneOf([0, WHOLE, pid], fail(EPERM), allow);
  for (const name of ["tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"] as const) {
    rule(name, toOwn);
  }
  // The signal to a descriptor's owner can be any one, and the owner can be any process. A lease
  // needs only a file that is open for reading, and delays every process that opens it to write.
  const commands = [F_SETOWN, F_SETOWN_EX, F_SETLEASE, F_SETDELEG];
  rule("fcntl", oneOf([1, WHOLE, ...commands], fail(EPERM), allow));
  rule("ioctl", ioctlRule);
}

/** Allows a call of two arguments that has the key behind them. */
function withKey(key: readonly number[]): Code {
  return key.reduceRight<Code>(
    (then, word, at) => oneOf([2 + at, WHOLE, word], then, fail(EPERM)),
    key.length === 0 ? fail(EPERM) : allow,
  );
}

/** A process sets limits and priorities for itself only. */
function priorityRules(rule: AddRule): void {
  const ownAt = (arg: number) => oneOf([arg, WHOLE, 0], allow, fail(EPERM));
  rule("prlimit64", ownAt(0));
  rule("sched_setattr", ownAt(0));
  // The other kinds of target are a group and a user, where 0 means all processes of the caller's
  // own.
  rule("setpriority", oneOf([0, WHOLE, PRIO_PROCESS], ownAt(1), fail(EPERM)));
  rule("ioprio_set", oneOf([0, WHOLE, IOPRIO_WHO_PROCESS], ownAt(1), fail(EPERM)));
  // Libraries set the policy of threads by their numbers. Two policies make any process slow.
  const policy = oneOf(
    [1, ~SCHED_RESET_ON_FORK, SCHED_BATCH, SCHED_IDLE],
    fail(EPERM),
    allow,
  );
  rule("sched_setscheduler", oneOf([0, WHOLE, 0], allow, policy));
}

/**
 * No file that the call leaves behind may let others act as its user, so set-user-id and
 * set-group-id bits are refused. If Landlock does not restrict truncating, the filter refuses to
 * truncate a file by its path, or through a descriptor that was opened for reading.
 */
function fileRules(rule: AddRule, { restrictsTruncate }: FilterOptions): void {
  const mode = (arg: number) => anyBit([arg, S_ISUID | S_ISGID], fail(EPERM), allow);
  for (const [name, arg] of MODES) rule(name, mode(arg));
  for (const [name, flags] of [["open", 1], ["openat", 2]] as const) {
    const created = anyBit([flags, CREATES], mode(flags + 1), allow);
    const cut = oneOf([flags, O_ACCMODE, O_RDONLY], fail(EACCES), created);
    rule(name, restrictsTruncate ? created : anyBit([flags, O_TRUNC], cut, created));
  }
  if (!restrictsTruncate) rule("truncate", fail(EACCES));
}

/** Sets a filter for this thread and all it starts, for good. Throws `unavailable` when it is refused. */
export function enterFilter(kernel: Kernel, program: Uint8Array<ArrayBuffer>): void {
  const [SET_MODE_FILTER, PR_GET_SECCOMP, MODE_FILTER] = [1, 21, 2];
  // struct sock_fprog: a 16-bit count, padding, and the address of the instructions.
  const filter = new BigUint64Array([BigInt(program.length / 8), address(program)]);
  if (kernel.call("seccomp", SET_MODE_FILTER, 0, new Uint8Array(filter.buffer)) !== 0) {
    throw stepFailed("seccomp", "the filter of system calls was refused");
  }
  if (kernel.call("prctl", PR_GET_SECCOMP) !== MODE_FILTER) {
    throw stepFailed("seccomp", "the filter of system calls is not in force");
  }
}
