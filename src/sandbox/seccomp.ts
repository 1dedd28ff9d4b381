/**
 * The filter of system calls (`seccomp(2)`) for what Landlock leaves open:
 * sockets, the memory and signals of other processes, kernel interfaces that go
 * round a check of paths, and calls of another architecture.
 */

import { address, type Kernel, stepFailed } from "./kernel.ts";
import { type Arch, systemCallNumbers } from "./system_call_numbers.ts";

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
}

/** Refused outright. The last two lines are memory and messages shared with other programs of the user. */
// deno-fmt-ignore
const REFUSED = [
  "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd",
  "perf_event_open", "bpf", "userfaultfd", "add_key", "request_key", "keyctl",
  "mount", "umount2", "pivot_root", "chroot", "move_mount", "fsopen", "fsconfig", "fsmount",
  "fspick", "open_tree", "mount_setattr", "unshare", "setns", "open_by_handle_at",
  "shmget", "shmat", "shmctl", "semget", "semop", "semctl", "semtimedop",
  "msgget", "msgsnd", "msgrcv", "msgctl", "mq_open",
];
/** Said to be missing, for which programs have another way: their arguments are out of a filter's sight. */
const MISSING = [
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
const [AF_UNIX, AF_INET, AF_INET6] = [1, 2, 10];
const [SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET, SOCK_TYPE] = [1, 2, 5, 0xf];
const [IPPROTO_TCP, IPPROTO_UDP] = [6, 17];

/** One instruction of the classic BPF machine: code, where to jump if true and if false, operand. */
type Instruction = readonly [code: number, yes: number, no: number, operand: number];

const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const equals = (value: number, yes: number, no: number): Instruction => [0x15, yes, no, value];
const result = (value: number): Instruction[] => [[0x06, 0, 0, value]];
const allow = result(0x7fff0000);
const fail = (errno: number): Instruction[] => result(0x00050000 | errno);

/** Goes on with `yes` when argument `arg`, under `mask`, is one of `values`, else with `no`. */
function oneOf(
  [arg, mask, ...values]: [arg: number, mask: number, ...values: number[]],
  yes: Instruction[],
  no: Instruction[],
): Instruction[] {
  const tests = values.map((value, at) => equals(value, values.length - 1 - at + no.length, 0));
  return [load(16 + 8 * arg), [0x54, 0, 0, mask], ...tests, ...no, ...yes];
}

/** Goes on with `yes` when argument `arg` has one of `bits`, else with `no`. */
function anyBit(
  [arg, bits]: [arg: number, bits: number],
  yes: Instruction[],
  no: Instruction[],
): Instruction[] {
  return [load(16 + 8 * arg), [0x45, 0, yes.length, bits], ...yes, ...no];
}

const WHOLE = 0xffffffff;

/**
 * The program of the filter, in the kernel's own form (`struct sock_filter[]`).
 * A call that it does not name is allowed: Landlock and the process's lack of
 * privileges hold the rest.
 */
export function filterProgram(options: FilterOptions): Uint8Array<ArrayBuffer> {
  const numbers = systemCallNumbers(options.arch);
  const rules: [name: string, then: Instruction[]][] = [
    ...REFUSED.map((name): [string, Instruction[]] => [name, fail(EPERM)]),
    ...MISSING.map((name): [string, Instruction[]] => [name, fail(ENOSYS)]),
    ...signalRules(options.own),
    ...socketRules(options.network),
    ...(options.holdsTruncate ? [] : truncateRules()),
    ["clone", anyBit([0, NEW_NAMESPACES], fail(EPERM), allow)],
    // A program may set limits for itself alone.
    ["prlimit64", oneOf([0, WHOLE, 0], allow, fail(EPERM))],
  ];
  const program: Instruction[] = [
    load(4),
    equals(AUDIT_ARCH[options.arch], 1, 0),
    ...fail(ENOSYS),
    load(0),
    [0x35, 0, 1, X32_BIT],
    ...fail(ENOSYS),
  ];
  for (const [name, then] of rules) {
    const number = numbers[name];
    if (number !== undefined) program.push(equals(number, 0, then.length), ...then);
  }
  program.push(...allow);
  // struct sock_filter: 16 bits of code, 8 for each jump, 32 of operand; both machines are little-endian.
  const words = program.flatMap((
    [code, yes, no, operand],
  ) => [code | yes << 16 | no << 24, operand]);
  return new Uint8Array(Uint32Array.from(words).buffer);
}

/** Landlock keeps signals among the call's own processes; the engine is one of them and is taken out here. */
function signalRules({ pid, group }: FilterOptions["own"]): [string, Instruction[]][] {
  const others = [-1 >>> 0, pid, -pid >>> 0, -group >>> 0];
  return [
    ["kill", oneOf([0, WHOLE, ...others], fail(EPERM), allow)],
    ...["tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"].map((
      name,
    ): [string, Instruction[]] => [name, oneOf([0, WHOLE, pid], fail(EPERM), allow)]),
    // What a descriptor's owner is signalled with is free, and its owner may be any process.
    ["fcntl", oneOf([1, WHOLE, F_SETOWN, F_SETOWN_EX], fail(EPERM), allow)],
  ];
}

function socketRules(network: ProgramNetwork): [string, Instruction[]][] {
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
  return [
    ["socketpair", oneOf([0, WHOLE, AF_UNIX], pair, fail(EACCES))],
    ["socket", socket],
    ["sendto", fastOpen(3)],
    ["sendmsg", fastOpen(2)],
    ["sendmmsg", fastOpen(3)],
    // A socket that listens without a name gets a port that no rule has seen.
    ["listen", network === "all" ? allow : fail(EACCES)],
  ];
}

/** What cuts a file by its path, and with what was opened for reading. */
function truncateRules(): [string, Instruction[]][] {
  const forReading = (arg: number) =>
    anyBit([arg, O_TRUNC], oneOf([arg, 0b11, 0], fail(EACCES), allow), allow);
  return [
    ["truncate", fail(EACCES)],
    ["open", forReading(1)],
    ["openat", forReading(2)],
    ["openat2", fail(ENOSYS)],
  ];
}

/** Sets a filter for this thread and all that it starts, for good. Throws `unavailable` when it is refused. */
export function enterFilter(kernel: Kernel, program: Uint8Array<ArrayBuffer>): void {
  const SET_MODE_FILTER = 1;
  // struct sock_fprog: a 16-bit count, padding, and the address of the instructions.
  const filter = new BigUint64Array([BigInt(program.length / 8), address(program)]);
  if (kernel.call("seccomp", SET_MODE_FILTER, 0, new Uint8Array(filter.buffer)) !== 0) {
    throw stepFailed("seccomp", "the filter of system calls was refused");
  }
}
