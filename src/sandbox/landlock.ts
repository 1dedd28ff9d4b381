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

const SYS = { createRuleset: 444n, addRule: 445n, restrictSelf: 446n };
const CREATE_RULESET_VERSION = 1n;
const RULE_PATH_BENEATH = 1n;
const O_PATH_CLOEXEC = 0o12000000;
const PR_SET_NO_NEW_PRIVS = 38;

/** The folders and files that stay usable behind the wall; `true` for all. */
export interface FileRights {
  /** What may be read. */
  read: true | readonly string[];
  /** What may be written, created and removed. */
  write: true | readonly string[];
}

/**
 * Shuts this thread, and every thread and program that it starts from now on,
 * off from all files but those of `rights`, for good. Returns whether the wall
 * stands: it does not where the kernel has none. Throws when the kernel has
 * one and a step of entering it fails.
 */
export function enterFileWall(rights: FileRights): boolean {
  if (Deno.build.os !== "linux") return false;
  const libc = openLibc();
  if (libc === undefined) return false;
  try {
    return enter(libc.symbols, rights);
  } finally {
    libc.close();
    Deno.permissions.revokeSync({ name: "ffi" });
  }
}

/** The version of the kernel's wall; 0 where there is none. */
export function fileWallVersion(): number {
  const libc = Deno.build.os === "linux" ? openLibc() : undefined;
  const version = libc === undefined ? 0 : versionOf(libc.symbols);
  libc?.close();
  return version;
}

function versionOf(libc: Libc): number {
  return Math.max(
    0,
    Number(libc.syscall(SYS.createRuleset, 0n, 0n, CREATE_RULESET_VERSION, 0n)),
  );
}

function openLibc() {
  const words = (count: number) => Array<"i64">(count).fill("i64");
  try {
    return Deno.dlopen("libc.so.6", {
      syscall: { parameters: words(5), result: "i64" },
      prctl: { parameters: ["i32", "u64", "u64", "u64", "u64"], result: "i32" },
      open: { parameters: ["buffer", "i32"], result: "i32" },
      close: { parameters: ["i32"], result: "i32" },
    });
  } catch {
    return undefined;
  }
}

type Libc = NonNullable<ReturnType<typeof openLibc>>["symbols"];

function enter(libc: Libc, { read, write }: FileRights): boolean {
  const version = versionOf(libc);
  if (version < 1) return false;
  const known = (1n << RIGHTS_BY_VERSION[Math.min(version, RIGHTS_BY_VERSION.length) - 1]!) - 1n;
  const handled = new BigUint64Array([known]);
  const ruleset = libc.syscall(SYS.createRuleset, addressOf(handled), 8n, 0n, 0n);
  if (ruleset < 0n) {
    throw new CallError("unavailable", "Cannot set up Landlock: its ruleset was refused");
  }
  for (const path of read === true ? ["/"] : read) {
    allow(libc, { ruleset, path, rights: READ & known });
  }
  for (const path of write === true ? ["/"] : write) {
    allow(libc, { ruleset, path, rights: WRITE & known });
  }
  if (libc.prctl(PR_SET_NO_NEW_PRIVS, 1n, 0n, 0n, 0n) !== 0) {
    throw new CallError("unavailable", "Cannot set up Landlock: no-new-privileges was refused");
  }
  if (libc.syscall(SYS.restrictSelf, ruleset, 0n, 0n, 0n) !== 0n) {
    throw new CallError(
      "unavailable",
      "Cannot set up Landlock: the kernel refused to restrict this thread",
    );
  }
  libc.close(Number(ruleset));
  return true;
}

/** Adds a rule for what `path` names; there is nothing to allow of what is not there. */
function allow(
  libc: Libc,
  { ruleset, path, rights }: { ruleset: bigint; path: string; rights: bigint },
): void {
  const file = libc.open(new TextEncoder().encode(`${path}\0`), O_PATH_CLOEXEC);
  if (file < 0) return;
  // struct landlock_path_beneath_attr: packed, a 64-bit mask and a 32-bit descriptor.
  const rule = new DataView(new ArrayBuffer(12));
  const isFolder = Deno.statSync(path).isDirectory;
  rule.setBigUint64(0, isFolder ? rights : rights & ON_FILES, true);
  rule.setInt32(8, file, true);
  const bytes = new Uint8Array(rule.buffer);
  const failed = libc.syscall(SYS.addRule, ruleset, RULE_PATH_BENEATH, addressOf(bytes), 0n);
  libc.close(file);
  if (failed !== 0n) {
    throw new CallError(
      "unavailable",
      `Cannot set up Landlock: the rule for ${quote(path)} was refused`,
    );
  }
}

function addressOf(bytes: Uint8Array<ArrayBuffer> | BigUint64Array<ArrayBuffer>): bigint {
  return Deno.UnsafePointer.value(Deno.UnsafePointer.of(bytes));
}
