/**
 * The filter of system calls (`seccomp(2)`) for what Landlock leaves open:
 * sockets, the memory and signals of other processes, kernel interfaces that go
 * round a check of paths, and calls of another architecture.
 */

import { address, type Kernel, stepFailed } from "./kernel.ts";
import { type Arch, type SystemCallName, systemCallNumbers } from "./system_call_numbers.ts";

/** What the network is to programs: nothing, TCP to named ports, or TCP and UDP. */
export type ProgramNetwork = "none" | "ports" | "all";

/** What a filter depends on. */
export interface FilterOptions {
  /** The machine. */
  arch: Arch;
  /** The sockets that may be made. */
  network: ProgramNetwork;
  /** The process and the process group that no signal may reach. */
  own: { pid: number; group: number };
  /** Whether Landlock holds truncating by path: from its version 3 on. */
  holdsTruncate: boolean;
  /**
   * With these three words of 32 bits as further arguments, which the kernel does not
   * look at, a signal may go to every process that Landlock lets it reach. Programs
   * cannot know them.
   */
  key?: readonly number[];
}

/** Refused outright. The last two lines are memory and messages shared with other programs of the user. */
// deno-fmt-ignore
const REFUSED: readonly SystemCallName[] = [
  "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd",
  "perf_event_open", "bpf", "userfaultfd", "add_key", "request_key", "keyctl",
  "mount", "umount2", "pivot_root", "chroot", "move_mount", "fsopen", "fsconfig", "fsmount",
  "fspick", "open_tree", "mount_setattr", "unshare", "setns", "open_by_handle_at",
  "shmget", "shmat", "shmctl", "semget", "semop", "semctl", "semtimedop",
  "msgget", "msgsnd", "msgrcv", "msgctl", "mq_open",
];
/** Said to be missing, for which programs have another way: their arguments are out of a filter's sight. */
const MISSING: readonly SystemCallName[] = [
  "io_uring_setup",
  "io_uring_enter",
  "io_uring_register",
  "clone3",
  "pidfd_send_signal",
];

const AUDIT_ARCH = { x86_64: 0xc000003e, aarch64: 0xc00000b7 };
const [EPERM, EACCES, ENOSYS, EOPNOTSUPP] = [1, 13, 38, 95];
const X32_BIT = 0x40000000;
const NEW_NAMESPACES = 0x7e020000;
const MSG_FASTOPEN = 0x20000000;
const O_TRUNC = 0o1000;
const [F_SETOWN, F_SETOWN_EX] = [8, 15];
const [FIOSETOWN, SIOCSPGRP] = [0x8901, 0x8902];
const [TIOCSTI, TIOCLINUX] = [0x5412, 0x541c];
const [AF_UNIX, AF_INET, AF_INET6] = [1, 2, 10];
const [SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET, SOCK_TYPE] = [1, 2, 5, 0xf];
const [IPPROTO_TCP, IPPROTO_UDP] = [6, 17];

/**
 * Instructions of the classic BPF machine, two words each as in `struct sock_filter`:
 * 16 bits of code with 8 for each jump, if true and if false, above them; an operand.
 * Both machines are little-endian.
 */
type Code = readonly number[];

const sizeOf = (code: Code) => code.length / 2;
const load = (offset: number): Code => [0x20, offset];
const equals = (
  value: number,
  yes: number,
  no: number,
): Code => [0x15 | yes << 16 | no << 24, value];
const allow: Code = [0x06, 0x7fff0000];
const fail = (errno: number): Code => [0x06, 0x00050000 | errno];

/** Goes on with `yes` when argument `arg`, under `mask`, is one of `values`, else with `no`. */
function oneOf(
  [arg, mask, ...values]: [arg: number, mask: number, ...values: number[]],
  yes: Code,
  no: Code,
): Code {
  const tests = values.flatMap((value, at) =>
    equals(value, values.length - 1 - at + sizeOf(no), 0)
  );
  return [...load(16 + 8 * arg), 0x54, mask, ...tests, ...no, ...yes];
}

/** Goes on with `yes` when argument `arg` has one of `bits`, else with `no`. */
function anyBit([arg, bits]: [arg: number, bits: number], yes: Code, no: Code): Code {
  return [...load(16 + 8 * arg), 0x45 | sizeOf(yes) << 24, bits, ...yes, ...no];
}

const WHOLE = 0xffffffff;

/**
 * The program of the filter, in the kernel's own form (`struct sock_filter[]`).
 * A call that it does not name is allowed: Landlock and the process's lack of
 * privileges hold the rest.
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
  if (!options.holdsTruncate) truncateRules(rule);
  rule("clone", anyBit([0, NEW_NAMESPACES], fail(EPERM), allow));
  // A program may set limits for itself alone.
  rule("prlimit64", oneOf([0, WHOLE, 0], allow, fail(EPERM)));
  words.push(...allow);
  return new Uint8Array(Uint32Array.from(words).buffer);
}

/** Adds what becomes of a system call. */
type AddRule = (name: SystemCallName, then: Code) => void;

/** From its version 6 on Landlock keeps signals among the call's own processes; the engine, which is one, is taken out here. */
function signalRules(rule: AddRule, { own: { pid, group }, key = [] }: FilterOptions): void {
  const toAll = key.reduceRight<Code>(
    (then, word, at) => oneOf([2 + at, WHOLE, word], then, fail(EPERM)),
    key.length === 0 ? fail(EPERM) : allow,
  );
  const toOther = oneOf([0, WHOLE, pid, -pid, -group], fail(EPERM), allow);
  rule("kill", oneOf([0, WHOLE, -1], toAll, toOther));
  const toOwn = oneOf([0, WHOLE, pid], fail(EPERM), allow);
  for (const name of ["tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"] as const) {
    rule(name, toOwn);
  }
  // What a descriptor's owner is signalled with is free, and its owner may be any process.
  rule("fcntl", oneOf([1, WHOLE, F_SETOWN, F_SETOWN_EX], fail(EPERM), allow));
  // The same by another call; and what would type into a terminal.
  const requests = [FIOSETOWN, SIOCSPGRP, TIOCSTI, TIOCLINUX];
  rule("ioctl", oneOf([1, WHOLE, ...requests], fail(EPERM), allow));
}

function socketRules(rule: AddRule, network: ProgramNetwork): void {
  // An unconnected pair could still be connected to a name.
  const pair = oneOf([1, SOCK_TYPE, SOCK_STREAM, SOCK_SEQPACKET], allow, fail(EACCES));
  const tcp = oneOf([2, WHOLE, 0, IPPROTO_TCP], allow, fail(EACCES));
  const udp = network === "all"
    ? oneOf([2, WHOLE, 0, IPPROTO_UDP], allow, fail(EACCES))
    : fail(EACCES);
  const kind = oneOf(
    [1, SOCK_TYPE, SOCK_STREAM],
    tcp,
    oneOf([1, SOCK_TYPE, SOCK_DGRAM], udp, fail(EACCES)),
  );
  const socket = network === "none"
    ? fail(EACCES)
    : oneOf([0, WHOLE, AF_INET, AF_INET6], kind, fail(EACCES));
  // Data in the first packet connects without the call that Landlock looks at.
  const fastOpen = (arg: number) => anyBit([arg, MSG_FASTOPEN], fail(EOPNOTSUPP), allow);
  rule("socketpair", oneOf([0, WHOLE, AF_UNIX], pair, fail(EACCES)));
  rule("socket", socket);
  rule("sendto", fastOpen(3));
  rule("sendmsg", fastOpen(2));
  rule("sendmmsg", fastOpen(3));
  // A socket that listens without a name gets a port that no rule has seen.
  rule("listen", network === "all" ? allow : fail(EACCES));
}

/** What cuts a file by its path, and with what was opened for reading. */
function truncateRules(rule: AddRule): void {
  const forReading = (arg: number) =>
    anyBit([arg, O_TRUNC], oneOf([arg, 0b11, 0], fail(EACCES), allow), allow);
  rule("truncate", fail(EACCES));
  rule("open", forReading(1));
  rule("openat", forReading(2));
  rule("openat2", fail(ENOSYS));
}

/** Sets a filter for this thread and all that it starts, for good. Throws `unavailable` when it is refused. */
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
