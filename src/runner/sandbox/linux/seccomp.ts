/**
 * The filter of system calls (`seccomp(2)`) for what Landlock leaves open:
 * sockets, the memory and signals of other processes, kernel interfaces that go
 * round a check of paths, and calls of another architecture. It is a program of
 * the classic BPF machine (`bpf(4)`).
 */

import {
  allow,
  anyBit,
  type Code,
  equals,
  fail,
  instructionsIn,
  load,
  oneOf,
  WHOLE,
} from "./bpf.ts";
import {
  address,
  type Kernel,
  stepFailed,
  type SystemCallName,
  systemCallNumber,
} from "./kernel.ts";

/** The network access of programs: nothing, TCP to named ports, or TCP and UDP. */
export type ProgramNetwork = "none" | "ports" | "all";

/** The options of a filter. */
interface FilterOptions {
  network: ProgramNetwork;
  /** The process and the process group that no signal may reach. */
  own: { pid: number; group: number };
  /** Whether Landlock restricts truncating by path, as it does from its version 3 on. */
  restrictsTruncate: boolean;
  /**
   * Three words of 32 bits, passed as further arguments, which the kernel does not look at. With
   * them a signal may go to every process that Landlock lets it reach, a namespace may be entered,
   * and a process may own a descriptor. Programs cannot know them.
   */
  key?: readonly number[];
}

/** These calls are refused. The last ones share memory and messages with other programs. */
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
// deno-fmt-ignore
const MISSING: readonly SystemCallName[] = [
  "io_setup", "io_uring_setup", "io_uring_enter", "io_uring_register", "clone3", "pidfd_send_signal",
  "statmount", "listmount", "openat2",
];

const AUDIT_ARCH = { x86_64: 0xc000003e, aarch64: 0xc00000b7 };
const [EPERM, EACCES, ENOTTY, ENOSYS, EOPNOTSUPP] = [1, 13, 25, 38, 95];
const X32_BIT = 0x40000000;
const NEW_NAMESPACES = 0x7e020000;
const [O_ACCMODE, O_RDONLY, O_TRUNC] = [0b11, 0, 0o1000];
/** O_CREAT and __O_TMPFILE: with either of them, a new file gets the mode that is given. */
const CREATES = 0o100 | 0o20000000;
const [S_ISUID, S_ISGID] = [0o4000, 0o2000];
/** The calls that set a file's mode, and the index of that argument. */
// deno-fmt-ignore
const MODES: readonly [name: SystemCallName, arg: number][] = [
  ["chmod", 1], ["fchmod", 1], ["fchmodat", 2], ["fchmodat2", 2], ["creat", 1], ["mknod", 1],
  ["mknodat", 2],
];
const [F_SETOWN, F_SETOWN_EX, F_SETLEASE, F_SETDELEG] = [8, 15, 1024, 1040];

const [PRIO_PROCESS, IOPRIO_WHO_PROCESS] = [0, 1];
const [SCHED_BATCH, SCHED_IDLE, SCHED_RESET_ON_FORK] = [3, 5, 0x40000000];

/** Adds the rule for a system call. */
type AddRule = (name: SystemCallName, then: Code) => void;

/**
 * The program of the filter, in the kernel's own form (`struct sock_filter[]`). It allows calls
 * that it does not name: Landlock and the missing privileges restrict those.
 */
export function systemCallFilter(options: FilterOptions): Uint8Array<ArrayBuffer> {
  const words: number[] = [
    ...[...load(4), ...equals(AUDIT_ARCH[Deno.build.arch], 1, 0), ...fail(ENOSYS)],
    ...[...load(0), 0x35 | 1 << 24, X32_BIT, ...fail(ENOSYS)],
  ];
  const rule: AddRule = (name, then) => {
    const number = systemCallNumber(name);
    if (number === undefined) return;
    words.push(0x15 | instructionsIn(then) << 24, number, ...then);
  };
  frequentRules(rule, options);
  const [refused, missing] = [fail(EPERM), fail(ENOSYS)];
  for (const name of REFUSED) rule(name, refused);
  for (const name of MISSING) rule(name, missing);
  signalRules(rule, options);
  socketRules(rule, options.network);
  fileRules(rule, options);
  rule("setns", withKey(options.key ?? []));
  rule("clone", anyBit([0, NEW_NAMESPACES], fail(EPERM), allow));
  priorityRules(rule);
  words.push(...allow);
  return new Uint8Array(new Uint32Array(words).buffer);
}

/**
 * The rules for calls that programs make for each file. They come first, because the kernel compares
 * one rule after the other. It remembers the answer for calls whose arguments no rule looks at.
 */
function frequentRules(rule: AddRule, { restrictsTruncate, key = [] }: FilterOptions): void {
  for (const [name, flags] of [["open", 1], ["openat", 2]] as const) {
    const created = anyBit([flags, CREATES], withoutIdBits(flags + 1), allow);
    const cut = oneOf([flags, O_ACCMODE, O_RDONLY], fail(EACCES), created);
    rule(name, restrictsTruncate ? created : anyBit([flags, O_TRUNC], cut, created));
  }
  // The signal to a descriptor's owner can be any one, and the owner can be any process. A lease
  // needs only a file that is open for reading, and delays every process that opens it to write.
  const commands = oneOf([1, WHOLE, F_SETOWN_EX, F_SETLEASE, F_SETDELEG], fail(EPERM), allow);
  rule("fcntl", oneOf([1, WHOLE, F_SETOWN], withKey(key, 3), commands));
}

/** Allows a call whose argument `arg`, a file's mode, has no bit that changes the user or the group. */
function withoutIdBits(arg: number): Code {
  return anyBit([arg, S_ISUID | S_ISGID], fail(EPERM), allow);
}

/**
 * From its version 6 on, Landlock keeps signals among the call's own processes. The engine is one
 * of them, so this rule protects it.
 */
function signalRules(
  rule: AddRule,
  { own: { pid, group }, key = [], network }: FilterOptions,
): void {
  const toAll = withKey(key);
  const toOther = oneOf([0, WHOLE, pid, -pid, -group], fail(EPERM), allow);
  rule("kill", oneOf([0, WHOLE, -1], toAll, toOther));
  const toOwn = oneOf([0, WHOLE, pid], fail(EPERM), allow);
  for (const name of ["tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"] as const) {
    rule(name, toOwn);
  }
  rule("ioctl", ioctlRule(network));
}

/** Allows a call that has the key from its argument `first` on. */
function withKey(key: readonly number[], first = 2): Code {
  return key.reduceRight<Code>(
    (then, word, at) => oneOf([first + at, WHOLE, word], then, fail(EPERM)),
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
  const policy = oneOf([1, ~SCHED_RESET_ON_FORK, SCHED_BATCH, SCHED_IDLE], fail(EPERM), allow);
  rule("sched_setscheduler", oneOf([0, WHOLE, 0], allow, policy));
}

/**
 * No file that the call leaves behind may let others act as its user, so set-user-id and
 * set-group-id bits are refused. If Landlock does not restrict truncating, the filter refuses to
 * truncate a file by its path, or through a descriptor that was opened for reading.
 */
function fileRules(rule: AddRule, { restrictsTruncate }: FilterOptions): void {
  for (const [name, arg] of MODES) rule(name, withoutIdBits(arg));
  if (!restrictsTruncate) rule("truncate", fail(EACCES));
}

const MSG_FASTOPEN = 0x20000000;
const [AF_UNIX, AF_INET, AF_INET6] = [1, 2, 10];
const [SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET, SOCK_TYPE] = [1, 2, 5, 0xf];
const [IPPROTO_TCP, IPPROTO_UDP] = [6, 17];

/** The sockets that programs may make, and how they may be used. */
function socketRules(rule: AddRule, network: ProgramNetwork): void {
  // An unconnected pair could still be connected to a name.
  const pair = oneOf([1, SOCK_TYPE, SOCK_STREAM, SOCK_SEQPACKET], allow, fail(EACCES));
  const tcp = oneOf([2, WHOLE, 0, IPPROTO_TCP], allow, fail(EACCES));
  const udp = oneOf([2, WHOLE, 0, IPPROTO_UDP], allow, fail(EACCES));
  const packets = network === "all" ? udp : fail(EACCES);
  const other = oneOf([1, SOCK_TYPE, SOCK_DGRAM], packets, fail(EACCES));
  const kind = oneOf([1, SOCK_TYPE, SOCK_STREAM], tcp, other);
  const internet = oneOf([0, WHOLE, AF_INET, AF_INET6], kind, fail(EACCES));
  // Data in the first packet connects without the call that Landlock looks at.
  const fastOpen = (arg: number) => anyBit([arg, MSG_FASTOPEN], fail(EOPNOTSUPP), allow);
  rule("socketpair", oneOf([0, WHOLE, AF_UNIX], pair, fail(EACCES)));
  rule("socket", network === "none" ? fail(EACCES) : internet);
  rule("sendto", fastOpen(3));
  rule("sendmsg", fastOpen(2));
  rule("sendmmsg", fastOpen(3));
  // A socket that listens without an address gets a port that no rule has seen.
  rule("listen", network === "all" ? allow : fail(EACCES));
}

/**
 * Requests about files that change nothing but a file that is open for writing, by their
 * numbers in `linux/fs.h` and `linux/fiemap.h`.
 */
const FILE_REQUESTS: readonly number[] = [
  0x40049409, // FICLONE
  0x4020940d, // FICLONERANGE
  0xc0189436, // FIDEDUPERANGE
  0x00000002, // FIGETBSZ
  0xc020660b, // FS_IOC_FIEMAP
  ...[0x80086601, 0x80046601], // FS_IOC_GETFLAGS, FS_IOC32_GETFLAGS
  ...[0x80087601, 0x80047601], // FS_IOC_GETVERSION, FS_IOC32_GETVERSION
  0x801c581f, // FS_IOC_FSGETXATTR
  ...[0x81009431, 0x80111500], // FS_IOC_GETFSLABEL, FS_IOC_GETFSUUID
];
/** RNDGETENTCNT: the randomness that the kernel has gathered. */
const RANDOM_REQUEST = 0x80045200;

/**
 * Whole types of requests (`_IOC_TYPE`): of terminals, with those to every descriptor such as
 * FIONREAD and FIOCLEX, and of sockets.
 */
const [TERMINALS, SOCKETS] = [0x5400, 0x8900];
/**
 * The requests to a single socket: FIOGETOWN, SIOCGPGRP, SIOCATMARK, SIOCGSTAMP and SIOCGSTAMPNS.
 * Every other request of sockets asks about the machine's network, such as its MAC addresses, and
 * even a pair of Unix sockets answers it.
 */
const SOCKET_REQUESTS: readonly number[] = [0x8903, 0x8904, 0x8905, 0x8906, 0x8907];
/**
 * Requests of these types that are refused. They make another process the owner of a descriptor,
 * which is signalled then, or type into a terminal.
 */
const [FIOSETOWN, SIOCSPGRP, TIOCSTI, TIOCLINUX] = [0x8901, 0x8902, 0x5412, 0x541c];

/**
 * The types of file systems. The first line has generic, ext4, Lustre, GFS2 and verity (f),
 * versions (v), XFS and freezing (X), FAT (r), Btrfs and F2FS. The second line has Ceph, CIFS,
 * bcachefs, NILFS (n), OCFS2 and UBIFS (o).
 */
const FILE_SYSTEM_TYPES: readonly number[] = [
  ...[0x6600, 0x7600, 0x5800, 0x7200, 0x9400, 0xf500],
  ...[0x9700, 0xcf00, 0xbc00, 0x6e00, 0x6f00],
];

const [REQUEST, TYPE] = [1, 0xff00];

/**
 * The answer to `ioctl(2)`, by its request. Landlock checks only requests to devices, and an open
 * descriptor is enough for the others. Through a descriptor that was opened for reading, file
 * systems change attributes, keys and whole subvolumes. So every request that is not named here is
 * refused: those of file systems, and of sockets without the whole network, with EPERM. Any other gets
 * ENOTTY, as from a file that does not know it; programs have another way for that.
 */
function ioctlRule(network: ProgramNetwork): Code {
  const opened = network === "all" ? [TERMINALS, SOCKETS] : [TERMINALS];
  const closed = [...FILE_SYSTEM_TYPES, SOCKETS];
  const ofOther = oneOf([REQUEST, TYPE, ...closed], fail(EPERM), fail(ENOTTY));
  const ofType = oneOf([REQUEST, TYPE, ...opened], allow, ofOther);
  const refused = [FIOSETOWN, SIOCSPGRP, TIOCSTI, TIOCLINUX];
  const other = oneOf([REQUEST, WHOLE, ...refused], fail(EPERM), ofType);
  const named = [...FILE_REQUESTS, RANDOM_REQUEST, ...SOCKET_REQUESTS];
  return oneOf([REQUEST, WHOLE, ...named], allow, other);
}

/**
 * Sets a filter for this thread and all it starts, for good. Throws `unavailable` when it is
 * refused.
 */
export function enterSystemCallFilter(kernel: Kernel, program: Uint8Array<ArrayBuffer>): void {
  const [SET_MODE_FILTER, PR_GET_SECCOMP, MODE_FILTER] = [1, 21, 2];
  // struct sock_fprog: a 16-bit count, padding, and the address of the instructions.
  const filter = new BigUint64Array([BigInt(program.length / 8), address(program)]);
  if (kernel.call("seccomp", SET_MODE_FILTER, 0, new Uint8Array(filter.buffer)) !== 0) {
    throw stepFailed("seccomp", "the system call filter was refused");
  }
  if (kernel.call("prctl", PR_GET_SECCOMP) !== MODE_FILTER) {
    throw stepFailed("seccomp", "the system call filter is not active");
  }
}
