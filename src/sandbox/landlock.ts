/**
 * The kernel's wall for files: Landlock (Linux 5.13, `landlock(7)`), entered
 * through the C library. It follows real files, so it also closes the moment
 * between a path's check and its use.
 */

import { CallError } from "../call_error.ts";
import { quote } from "../quote.ts";

/** Rights by their bits in `linux/landlock.h`, section "Filesystem flags". */
const WRITE_FILE = 1n << 1n;
const READ_FILE = 1n << 2n;
const READ_DIR = 1n << 3n;
const REMOVE_DIR = 1n << 4n;
const REMOVE_FILE = 1n << 5n;
const MAKE_DIR = 1n << 7n;
const MAKE_REG = 1n << 8n;
const REFER = 1n << 13n;
const TRUNCATE = 1n << 14n;

const READ = READ_FILE | READ_DIR;
const WRITE = WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | REFER | TRUNCATE;
/** The rights that make sense for a file that is no folder. */
const ON_FILES = WRITE_FILE | READ_FILE | TRUNCATE;

/** How many file rights each version of the interface knows, from version 1 on. */
const RIGHTS_BY_VERSION = [13n, 14n, 15n, 15n, 16n];

/** Numbers of the system calls, which are the same on every machine from 424 on. */
const LANDLOCK = { createRuleset: 444, addRule: 445, restrictSelf: 446 };
const OTHERS = {
  x86_64: { openat: 257, prctl: 157 },
  aarch64: { openat: 56, prctl: 167 },
};
const CREATE_RULESET_VERSION = 1;
const RULE_PATH_BENEATH = 1;
const AT_FDCWD = -100;
const O_PATH_CLOEXEC = 0o12000000;
const PR_SET_NO_NEW_PRIVS = 38;

/** The folders and files that stay usable behind the wall, with all that they hold. */
export interface FileRights {
  /** What may be read. */
  read: readonly string[];
  /** What may be listed. */
  list: readonly string[];
  /** What may be written, created and removed. */
  write: readonly string[];
}

/**
 * Shuts this thread, and every thread and program that it starts from now on,
 * off from all files but those of `rights`, for good. Returns whether the wall
 * stands: it does not where the kernel has none. Throws `unavailable` when the
 * kernel has one and a step of entering it fails.
 */
export function enterFileWall(rights: FileRights): boolean {
  const kernel = openKernel();
  if (kernel === undefined) return false;
  try {
    return enter(kernel.call, rights);
  } finally {
    kernel.close();
    Deno.permissions.revokeSync({ name: "ffi" });
  }
}

/** The version of the kernel's wall; 0 where there is none. */
export function fileWallVersion(): number {
  const kernel = openKernel();
  const version = kernel === undefined ? 0 : versionOf(kernel.call);
  kernel?.close();
  return version;
}

/** Makes a system call; memory is given by its address, what is left out is 0. Negative when it fails. */
type SystemCall = (number: number, ...args: Word[]) => number;

type Word = number | bigint | Uint8Array<ArrayBuffer>;

/** The way into the kernel. Each function that is asked of the library costs a part of a millisecond. */
function openKernel(): { call: SystemCall; close(): void } | undefined {
  if (Deno.build.os !== "linux") return undefined;
  try {
    const words = ["i64", "i64", "i64", "i64", "i64", "i64"] as const;
    const library = Deno.dlopen("libc.so.6", { syscall: { parameters: words, result: "i64" } });
    const { syscall } = library.symbols;
    return {
      call: (number, ...args) => {
        const [a = 0n, b = 0n, c = 0n, d = 0n] = args.map(word);
        return Number(syscall(BigInt(number), a, b, c, d, 0n));
      },
      close: () => library.close(),
    };
  } catch {
    return undefined;
  }
}

function word(value: Word): bigint {
  if (typeof value === "bigint") return value;
  if (typeof value === "number") return BigInt(value);
  return Deno.UnsafePointer.value(Deno.UnsafePointer.of(value));
}

function versionOf(call: SystemCall): number {
  return Math.max(0, call(LANDLOCK.createRuleset, 0, 0, CREATE_RULESET_VERSION));
}

function enter(call: SystemCall, { read, list, write }: FileRights): boolean {
  const version = versionOf(call);
  if (version < 1) return false;
  const known = (1n << RIGHTS_BY_VERSION[Math.min(version, RIGHTS_BY_VERSION.length) - 1]!) - 1n;
  // struct landlock_ruleset_attr, of which the first member is all that version 1 has.
  const handled = new Uint8Array(new BigUint64Array([known]).buffer);
  const ruleset = call(LANDLOCK.createRuleset, handled, handled.length, 0);
  if (ruleset < 0) throw failed("its ruleset was refused");
  for (const [paths, wanted] of [[read, READ], [list, READ_DIR], [write, WRITE]] as const) {
    for (const path of paths) allow(call, { ruleset, path, rights: wanted & known });
  }
  if (call(OTHERS[Deno.build.arch].prctl, PR_SET_NO_NEW_PRIVS, 1) !== 0) {
    throw failed("no-new-privileges was refused");
  }
  if (call(LANDLOCK.restrictSelf, ruleset, 0) !== 0) {
    throw failed("the kernel did not restrict this thread");
  }
  return true;
}

/**
 * Adds a rule for what `path`, which is real, names. There is nothing to allow
 * of what is not there, or of what has just become a link to elsewhere.
 */
function allow(
  call: SystemCall,
  { ruleset, path, rights }: { ruleset: number; path: string; rights: bigint },
): void {
  const kind = kindOf(path);
  const allowed = kind === "folder" ? rights : rights & ON_FILES;
  if (kind === undefined || allowed === 0n) return;
  const name = new TextEncoder().encode(`${path}\0`);
  const file = call(OTHERS[Deno.build.arch].openat, AT_FDCWD, name, O_PATH_CLOEXEC, 0);
  if (file >= 0 && Deno.readLinkSync(`/proc/self/fd/${file}`) !== path) return;
  // struct landlock_path_beneath_attr: packed, a 64-bit mask and a 32-bit descriptor.
  const rule = new DataView(new ArrayBuffer(12));
  rule.setBigUint64(0, allowed, true);
  rule.setInt32(8, file, true);
  const bytes = new Uint8Array(rule.buffer);
  if (file < 0 || call(LANDLOCK.addRule, ruleset, RULE_PATH_BENEATH, bytes, 0) !== 0) {
    throw failed(`the rule for ${quote(path)} was refused`);
  }
}

function kindOf(path: string): "folder" | "file" | undefined {
  try {
    return Deno.statSync(path).isDirectory ? "folder" : "file";
  } catch {
    return undefined;
  }
}

function failed(why: string): CallError {
  return new CallError("unavailable", `Cannot enter the kernel's sandbox (Landlock): ${why}`);
}
