/**
 * Landlock, the kernel's sandbox for files, TCP ports and signals (Linux 5.13, `landlock(7)`). It
 * compares real files, so it also closes the moment between a path's check and its use.
 */

import { quote } from "../../../base/text/quote.ts";
import { address, AT_FDCWD, type Kernel, stepFailed } from "./kernel.ts";

/** Rights by their bits in `linux/landlock.h`, section "Filesystem flags". */
const EXECUTE = 1n << 0n;
const WRITE_FILE = 1n << 1n;
const READ_FILE = 1n << 2n;
const READ_DIR = 1n << 3n;
const REMOVE_DIR = 1n << 4n;
const REMOVE_FILE = 1n << 5n;
const MAKE_DIR = 1n << 7n;
const MAKE_REG = 1n << 8n;
const MAKE_FIFO = 1n << 10n;
const MAKE_SYM = 1n << 12n;
const REFER = 1n << 13n;
const TRUNCATE = 1n << 14n;
const IOCTL_DEV = 1n << 15n;

const REMOVE = REMOVE_DIR | REMOVE_FILE;
const MAKE = MAKE_DIR | MAKE_REG | MAKE_FIFO | MAKE_SYM;

/** The rights of each list of {@link FileRights}. */
const RIGHTS: Readonly<Record<keyof FileRights, bigint>> = {
  read: READ_FILE | READ_DIR,
  file: READ_FILE,
  list: READ_DIR,
  write: WRITE_FILE | TRUNCATE | REMOVE | MAKE | REFER,
  execute: EXECUTE,
  device: READ_FILE | WRITE_FILE | IOCTL_DEV,
};
/** The rights that apply to files that are not directories. */
const ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;

/** The number of file rights in each version of the interface, from version 1 on. */
const RIGHTS_BY_VERSION = [13n, 14n, 15n, 15n, 16n];
/** The first versions that restrict truncating, TCP ports, and signals. */
export const since = { truncate: 3, ports: 4, signals: 6 } as const;

const [CREATE_RULESET_VERSION, RULE_PATH_BENEATH, RULE_NET_PORT] = [1, 1, 2];
const [NET_BIND_TCP, NET_CONNECT_TCP] = [1n, 2n];
const SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS = 3n;
const O_PATH_CLOEXEC = 0o12000000;

/** The directories and files that stay usable in the sandbox, with all their contents. */
export interface FileRights {
  /** Paths that may be read. */
  read: readonly string[];
  /** The same for known files, which saves one step. */
  file?: readonly string[];
  /** Directories that may be listed. */
  list: readonly string[];
  /** Paths that may be written, created and removed. */
  write: readonly string[];
  /** Paths that may be executed. Reading them needs a right of its own. */
  execute: readonly string[];
  /** Devices that may be used. */
  device: readonly string[];
}

/** The access that Landlock leaves. */
interface LandlockRights {
  /** The files, by their real paths. A path that has become a link is not opened. */
  files: Partial<FileRights>;
  /** System files, which may be links and may be missing. */
  system?: Partial<FileRights>;
  /** TCP ports that may be connected to; absent if TCP is unrestricted. */
  ports?: readonly number[];
  /** Whether processes in the sandbox can reach only each other by signals and abstract sockets. */
  isolated?: boolean;
  /** Whether the filter of system calls refuses to truncate, in place of Landlock. */
  truncatingIsFiltered?: boolean;
}

/** The version of Landlock in the kernel; 0 if it has no Landlock. */
export function landlockVersion(kernel: Kernel): number {
  return Math.max(0, kernel.call("landlock_create_ruleset", 0, 0, CREATE_RULESET_VERSION));
}

/**
 * Restricts this thread, and every thread and program that it starts from now on, to `rights`, for
 * good, as far as `version` supports that. The thread must have renounced new privileges. Throws
 * `unavailable` when a step fails.
 */
export function enterLandlock(kernel: Kernel, version: number, rights: LandlockRights): void {
  const known = (1n << RIGHTS_BY_VERSION[Math.min(version, RIGHTS_BY_VERSION.length) - 1]!) - 1n;
  const files = rights.truncatingIsFiltered ? known & ~TRUNCATE : known;
  // struct landlock_ruleset_attr, which got one more member twice.
  const members = [files];
  if (version >= since.ports) members.push(rights.ports ? NET_BIND_TCP | NET_CONNECT_TCP : 0n);
  if (version >= since.signals) {
    members.push(rights.isolated ? SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS : 0n);
  }
  const handled = new Uint8Array(new BigUint64Array(members).buffer);
  const ruleset = kernel.call("landlock_create_ruleset", handled, handled.length, 0);
  if (ruleset < 0) throw stepFailed("Landlock", "its ruleset was refused");
  const memory = scratch();
  for (const [path, wanted] of rightsByPath(rights.system ?? {})) {
    allowPath(kernel, memory, { ruleset, path, rights: wanted & files, mayBeLink: true });
  }
  for (const [path, wanted] of rightsByPath(rights.files)) {
    allowPath(kernel, memory, { ruleset, path, rights: wanted & files, mayBeLink: false });
  }
  if (version >= since.ports) {
    for (const port of rights.ports ?? []) allowPort(kernel, { ruleset, port });
  }
  if (kernel.call("landlock_restrict_self", ruleset, 0) !== 0) {
    throw stepFailed("Landlock", "the kernel did not restrict this thread");
  }
  kernel.call("close", ruleset);
}

/** The rights of each path are combined, because a rule costs more than its bits. */
function rightsByPath(files: Partial<FileRights>): Map<string, bigint> {
  const byPath = new Map<string, bigint>();
  for (const [name, paths] of Object.entries(files)) {
    const rights = RIGHTS[name as keyof FileRights];
    for (const path of paths) byPath.set(path, (byPath.get(path) ?? 0n) | rights);
  }
  return byPath;
}

/** Memory for rules, with its address: taking it costs as much as a rule, so it is reused. */
interface Scratch {
  bytes: Uint8Array<ArrayBuffer>;
  view: DataView;
  at: number;
}

/** The parts of that memory: a path, a real path, a rule. */
const [PATH, REAL, RULE, SCRATCH_BYTES] = [0, 4_096, 8_192, 8_208];

function scratch(): Scratch {
  const bytes = new Uint8Array(SCRATCH_BYTES);
  return { bytes, view: new DataView(bytes.buffer), at: Number(address(bytes)) };
}

/**
 * Adds a rule for the file at `path`, unless it cannot be opened or should be real and is a link.
 */
function allowPath(
  kernel: Kernel,
  memory: Scratch,
  { ruleset, path, rights, mayBeLink }: {
    ruleset: number;
    path: string;
    rights: bigint;
    mayBeLink: boolean;
  },
): void {
  const { bytes, view, at } = memory;
  const length = put(path, bytes.subarray(PATH, REAL));
  const file = kernel.call("openat", AT_FDCWD, at + PATH, O_PATH_CLOEXEC);
  if (file < 0) return;
  const add = (allowed: bigint) => {
    // struct landlock_path_beneath_attr: packed, a 64-bit mask and a 32-bit descriptor.
    view.setBigUint64(RULE, allowed, true);
    view.setInt32(RULE + 8, file, true);
    return kernel.call("landlock_add_rule", ruleset, RULE_PATH_BENEATH, at + RULE) === 0;
  };
  const added = !(mayBeLink || isReal(kernel, memory, { file, length })) || add(rights) ||
    // For a file that is no directory, the kernel accepts only the rights that apply.
    (rights & ON_FILES) === 0n || add(rights & ON_FILES);
  kernel.call("close", file);
  if (!added) throw stepFailed("Landlock", `the rule for ${quote(path)} was refused`);
}

/** Whether an open file's real path equals the path, of this length, that opened it. */
function isReal(
  kernel: Kernel,
  { bytes, at }: Scratch,
  { file, length }: { file: number; length: number },
): boolean {
  const real = bytes.subarray(REAL, RULE);
  put(`/proc/self/fd/${file}`, real);
  const found = kernel.call("readlinkat", AT_FDCWD, at + REAL, at + REAL, real.length);
  if (found < 0) throw stepFailed("Landlock", "/proc is not mounted, so no path can be checked");
  return found === length && real.subarray(0, length).every((byte, index) => byte === bytes[index]);
}

const encoder = new TextEncoder();
/** Writes a text and a NUL. Returns its length, or 0 if it is too long. */
function put(text: string, bytes: Uint8Array): number {
  const { read, written } = encoder.encodeInto(text, bytes);
  const length = read === text.length && written < bytes.length ? written : 0;
  bytes[length] = 0;
  return length;
}

function allowPort(kernel: Kernel, { ruleset, port }: { ruleset: number; port: number }): void {
  // struct landlock_net_port_attr
  const rule = new Uint8Array(new BigUint64Array([NET_CONNECT_TCP, BigInt(port)]).buffer);
  if (kernel.call("landlock_add_rule", ruleset, RULE_NET_PORT, rule, 0) !== 0) {
    throw stepFailed("Landlock", `the rule for port ${port} was refused`);
  }
}
