/**
 * The kernel's wall for files, TCP ports and signals: Landlock (Linux 5.13,
 * `landlock(7)`). It follows real files, so it also closes the moment between a
 * path's check and its use, and it holds for every program that is started behind it.
 */

import { quote } from "../quote.ts";
import { type Kernel, openKernel, stepFailed } from "./kernel.ts";

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

/** What each list of {@link FileRights} stands for. */
const RIGHTS: Readonly<Record<keyof FileRights, bigint>> = {
  read: READ_FILE | READ_DIR,
  list: READ_DIR,
  write: WRITE_FILE | TRUNCATE | REMOVE | MAKE | REFER,
  execute: EXECUTE,
  device: READ_FILE | WRITE_FILE | IOCTL_DEV,
};
/** The rights that make sense for a file that is no folder. */
const ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;

/** How many file rights each version of the interface knows, from version 1 on. */
const RIGHTS_BY_VERSION = [13n, 14n, 15n, 15n, 16n];
/** The versions from which on it knows TCP ports, and signals and abstract sockets. */
const [PORTS_VERSION, SCOPES_VERSION] = [4, 6];

const CREATE_RULESET_VERSION = 1;
const [RULE_PATH_BENEATH, RULE_NET_PORT] = [1, 2];
const [NET_BIND_TCP, NET_CONNECT_TCP] = [1n, 2n];
const SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS = 3n;
const AT_FDCWD = -100;
const O_PATH_CLOEXEC = 0o12000000;

/** The folders and files that stay usable behind the wall, with all that they hold. */
export interface FileRights {
  /** What may be read. */
  read: readonly string[];
  /** What may be listed. */
  list: readonly string[];
  /** What may be written, created and removed. */
  write: readonly string[];
  /** What may be executed; that it be read takes a right of its own. */
  execute: readonly string[];
  /** Devices that may be used. */
  device: readonly string[];
}

/** All that the wall leaves open. */
export interface WallRights {
  /** The files. */
  files: Partial<FileRights>;
  /** The TCP ports that may be connected to; absent where Landlock is not to look at TCP. */
  ports?: readonly number[];
  /** Whether signals and abstract sockets end at the wall, for processes behind it. */
  isolated?: boolean;
}

/** The version of Landlock that the kernel has; 0 where there is none. */
export function landlockVersion(kernel: Kernel): number {
  return Math.max(0, kernel.call("landlock_create_ruleset", 0, 0, CREATE_RULESET_VERSION));
}

/** The version of Landlock on this machine; 0 where there is none. */
export function fileWallVersion(): number {
  const kernel = openKernel();
  const version = kernel === undefined ? 0 : landlockVersion(kernel);
  kernel?.close();
  return version;
}

/**
 * Shuts this thread, and every thread and program that it starts from now on,
 * off from all but `rights`, for good, as far as `version` goes. It must have
 * renounced new privileges. Throws `unavailable` when a step fails.
 */
export function enterLandlock(kernel: Kernel, version: number, rights: WallRights): void {
  const known = (1n << RIGHTS_BY_VERSION[Math.min(version, RIGHTS_BY_VERSION.length) - 1]!) - 1n;
  // struct landlock_ruleset_attr, which has grown by one member twice.
  const members = [known];
  if (version >= PORTS_VERSION) members.push(rights.ports ? NET_BIND_TCP | NET_CONNECT_TCP : 0n);
  if (version >= SCOPES_VERSION) {
    members.push(rights.isolated ? SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS : 0n);
  }
  const handled = new Uint8Array(new BigUint64Array(members).buffer);
  const ruleset = kernel.call("landlock_create_ruleset", handled, handled.length, 0);
  if (ruleset < 0) throw stepFailed("Landlock", "its ruleset was refused");
  for (const [path, wanted] of rightsByPath(rights.files)) {
    allowPath(kernel, ruleset, { path, rights: wanted & known });
  }
  if (version >= PORTS_VERSION) {
    for (const port of rights.ports ?? []) allowPort(kernel, ruleset, port);
  }
  if (kernel.call("landlock_restrict_self", ruleset, 0) !== 0) {
    throw stepFailed("Landlock", "the kernel did not restrict this thread");
  }
  kernel.call("close", ruleset);
}

/** The rights of each path, together: a rule costs more than its bits. */
function rightsByPath(files: Partial<FileRights>): Map<string, bigint> {
  const byPath = new Map<string, bigint>();
  for (const [name, paths] of Object.entries(files)) {
    const rights = RIGHTS[name as keyof FileRights];
    for (const path of paths) byPath.set(path, (byPath.get(path) ?? 0n) | rights);
  }
  return byPath;
}

/**
 * Adds a rule for what `path`, which is real, names. There is nothing to allow
 * of what is not there, or of what has just become a link to elsewhere.
 */
function allowPath(
  kernel: Kernel,
  ruleset: number,
  { path, rights }: { path: string; rights: bigint },
): void {
  const kind = kindOf(path);
  const allowed = kind === "folder" ? rights : rights & ON_FILES;
  if (kind === undefined || allowed === 0n) return;
  const name = new TextEncoder().encode(`${path}\0`);
  const file = kernel.call("openat", AT_FDCWD, name, O_PATH_CLOEXEC, 0);
  if (file >= 0 && Deno.readLinkSync(`/proc/self/fd/${file}`) !== path) return;
  // struct landlock_path_beneath_attr: packed, a 64-bit mask and a 32-bit descriptor.
  const rule = new DataView(new ArrayBuffer(12));
  rule.setBigUint64(0, allowed, true);
  rule.setInt32(8, file, true);
  const bytes = new Uint8Array(rule.buffer);
  const refused = file < 0 ||
    kernel.call("landlock_add_rule", ruleset, RULE_PATH_BENEATH, bytes, 0) !== 0;
  if (refused) throw stepFailed("Landlock", `the rule for ${quote(path)} was refused`);
  kernel.call("close", file);
}

function allowPort(kernel: Kernel, ruleset: number, port: number): void {
  // struct landlock_net_port_attr
  const rule = new Uint8Array(new BigUint64Array([NET_CONNECT_TCP, BigInt(port)]).buffer);
  if (kernel.call("landlock_add_rule", ruleset, RULE_NET_PORT, rule, 0) !== 0) {
    throw stepFailed("Landlock", `the rule for port ${port} was refused`);
  }
}

function kindOf(path: string): "folder" | "file" | undefined {
  try {
    return Deno.statSync(path).isDirectory ? "folder" : "file";
  } catch {
    return undefined;
  }
}
