/** Files through the C library, which can open them without waiting, unlike the runtime. */

import { asWord, type CLibrary, loadCLibrary } from "./c_library.ts";
import { errorCode, errorName } from "../error_code.ts";
import type { FileCalls, FileStatus, PathStatus } from "./file_calls.ts";

/** The numbers of the system calls; `stat` has the offsets of the fields of its result. */
const MACHINES = {
  x86_64: {
    ...{ read: 0, write: 1, close: 3, fstat: 5, flock: 73, fsync: 74, fchmod: 91, fchown: 93 },
    ...{ unlinkat: 263, renameat: 264, linkat: 265, O_NOFOLLOW: 0o400000 },
    ...{
      openat: 257,
      newfstatat: 262,
      fstatfs: 138,
      stat: { mode: 24, uid: 28, gid: 32, size: 48, mtime: 88 },
    },
  },
  aarch64: {
    ...{ read: 63, write: 64, close: 57, fstat: 80, flock: 32, fsync: 82, fchmod: 52, fchown: 55 },
    ...{ unlinkat: 35, renameat: 38, linkat: 37, O_NOFOLLOW: 0o100000 },
    ...{
      openat: 56,
      newfstatat: 79,
      fstatfs: 44,
      stat: { mode: 16, uid: 24, gid: 28, size: 48, mtime: 88 },
    },
  },
};

const AT_FDCWD = -100;
/** The flags of an open that may change a file: to write, and to create. */
const CHANGES = 0o103;
/** Opens nothing but the path. */
const O_PATH_CLOEXEC = 0o12000000;
const LOCK_EX_NB = 6;
const STAT_BYTES = 144;
const NONE = asWord(0);
const CWD = BigInt(AT_FDCWD);
const AT_SYMLINK_NOFOLLOW = asWord(0x100);
/** The number of `openat2(2)` on all machines. */
const OPENAT2 = 437n;
/** Neither symlinks, nor `..` out of the directory, nor another file system (`openat2(2)`). */
const RESOLVE_BENEATH_ONLY = 0x01n | 0x04n | 0x08n;
/** The size of `struct open_how`: flags, mode and resolve. */
const OPEN_HOW_BYTES = asWord(24);
const STATFS_BYTES = 120;
const REGULAR = 0o100000;
const TYPE = 0o170000;

/** The system's calls for files. Returns `undefined` where {@link loadCLibrary} does. */
export function openNativeFiles(): FileCalls | undefined {
  const library = loadCLibrary();
  return library && new NativeFiles(library.symbols);
}

const encoder = new TextEncoder();

class NativeFiles implements FileCalls {
  #library: CLibrary["symbols"];
  #errorPlace: Deno.PointerValue;
  #machine = MACHINES[Deno.build.arch];
  #newfstatat = BigInt(this.#machine.newfstatat);
  /** Memory for one look at a time. */
  #name = new Uint8Array(4_096);
  #statusBytes = new Uint8Array(STAT_BYTES);
  #status = new DataView(this.#statusBytes.buffer);
  #how = new BigUint64Array(3);
  #howBytes = new Uint8Array(this.#how.buffer);
  #directories: ReadonlyMap<string, number> | undefined;

  constructor(library: CLibrary["symbols"]) {
    this.#library = library;
    this.#errorPlace = library.errorPlace(asWord(0));
  }

  modeAt(path: string): number {
    const descriptor = this.open(path, O_PATH_CLOEXEC, 0);
    try {
      return this.stat(descriptor).mode;
    } finally {
      this.closeDescriptor(descriptor);
    }
  }

  look(path: string): PathStatus | undefined {
    if (!this.#lookAt(CWD, path, AT_SYMLINK_NOFOLLOW)) return undefined;
    const [{ stat: at }, view] = [this.#machine, this.#status];
    return {
      mode: view.getUint32(at.mode, true),
      changed: changedAt(view, at.mtime),
      size: Number(view.getBigInt64(at.size, true)),
    };
  }

  /** Puts the status of what is at a path into `#status`, and the path into `#name`. */
  #lookAt(from: bigint, path: string, flags: Uint8Array<ArrayBuffer>): boolean {
    const name = this.#name;
    const { read, written } = encoder.encodeInto(path, name);
    if (read < path.length || written === name.length || path.includes("\0")) return false;
    name[written] = 0;
    const status = this.#statusBytes;
    return this.#library.syscallOnTwo(this.#newfstatat, from, name, status, flags) === 0n;
  }

  identity(path: string): string | undefined {
    return this.#lookAt(CWD, path, NONE) ? identityOf(this.#status) : undefined;
  }

  openBeneath(directory: number, name: string, flags: number): number | undefined {
    const from = BigInt(directory);
    // Opening a pipe or a device may do something, so its kind is looked at first.
    if (!this.#lookAt(from, name, AT_SYMLINK_NOFOLLOW)) return undefined;
    if ((this.#status.getUint32(this.#machine.stat.mode, true) & TYPE) !== REGULAR) {
      return undefined;
    }
    this.#how[0] = BigInt(flags);
    this.#how[2] = RESOLVE_BENEATH_ONLY;
    const how = this.#howBytes;
    const opened = this.#library.syscallOnTwo(OPENAT2, from, this.#name, how, OPEN_HOW_BYTES);
    return opened < 0n ? undefined : Number(opened);
  }

  fileSystem(descriptor: number): number {
    const bytes = new Uint8Array(STATFS_BYTES);
    this.#callOnMemory(this.#machine.fstatfs, descriptor, bytes);
    return Number(new DataView(bytes.buffer).getBigInt64(0, true));
  }

  changeOnlyIn(directories: ReadonlyMap<string, number> | undefined): void {
    this.#directories = directories;
  }

  rename(from: string, to: string): void {
    this.#callOnPaths(this.#machine.renameat, from, to);
  }

  link(from: string, to: string): void {
    this.#callOnPaths(this.#machine.linkat, from, to);
  }

  remove(path: string): void {
    this.#callOnMemory(this.#machine.unlinkat, ...this.#inDirectory(path));
  }

  open(path: string, flags: number, mode: number): number {
    const { openat, O_NOFOLLOW } = this.#machine;
    if (this.#directories === undefined || (flags & CHANGES) === 0) {
      return this.#callOnMemory(openat, AT_FDCWD, pathBytes(path), flags, mode);
    }
    return this.#callOnMemory(openat, ...this.#inDirectory(path), flags | O_NOFOLLOW, mode);
  }

  stat(descriptor: number): Omit<FileStatus, "kind"> {
    const { fstat, stat: at } = this.#machine;
    const bytes = new Uint8Array(STAT_BYTES);
    this.#callOnMemory(fstat, descriptor, bytes);
    const view = new DataView(bytes.buffer);
    const number = (offset: number) => Number(view.getBigInt64(offset, true));
    return {
      mode: view.getUint32(at.mode, true),
      uid: view.getUint32(at.uid, true),
      gid: view.getUint32(at.gid, true),
      size: number(at.size),
      dev: number(0),
      ino: number(8),
      changed: changedAt(view, at.mtime),
    };
  }

  read(descriptor: number, buffer: Uint8Array<ArrayBuffer>): number {
    return this.#callOnMemory(this.#machine.read, descriptor, buffer, buffer.length);
  }

  write(descriptor: number, bytes: Uint8Array<ArrayBuffer>): number {
    return this.#callOnMemory(this.#machine.write, descriptor, bytes, bytes.length);
  }

  lock(descriptor: number): boolean {
    try {
      this.#callOnNumbers(this.#machine.flock, descriptor, LOCK_EX_NB);
      return true;
    } catch (error) {
      if (errorCode(error) === "EAGAIN") return false;
      throw error;
    }
  }

  chown(descriptor: number, { uid, gid }: { uid: number; gid: number }): void {
    this.#callOnNumbers(this.#machine.fchown, descriptor, uid, gid);
  }

  chmod(descriptor: number, mode: number): void {
    this.#callOnNumbers(this.#machine.fchmod, descriptor, mode);
  }

  sync(descriptor: number): void {
    this.#callOnNumbers(this.#machine.fsync, descriptor);
  }

  closeDescriptor(descriptor: number): void {
    this.#library.syscallOnMemory(BigInt(this.#machine.close), BigInt(descriptor), null, 0n, NONE);
  }

  #callOnMemory(
    call: number,
    descriptor: number,
    memory: Uint8Array<ArrayBuffer>,
    third = 0,
    fourth = 0,
  ): number {
    const words = [BigInt(call), BigInt(descriptor), memory, BigInt(third)] as const;
    const last = asWord(fourth);
    return this.#uninterrupted(() => this.#library.syscallOnMemory(...words, last));
  }

  #callOnPaths(call: number, from: string, to: string): void {
    const [fromDirectory, fromName] = this.#inDirectory(from);
    const [toDirectory, toName] = this.#inDirectory(to);
    const words = [BigInt(call), BigInt(fromDirectory), fromName, BigInt(toDirectory)] as const;
    this.#uninterrupted(() => this.#library.syscallOnPaths(...words, toName, NONE));
  }

  /** The directory and the name by which a file is changed. Throws if it may not be changed. */
  #inDirectory(path: string): [directory: number, name: Uint8Array<ArrayBuffer>] {
    if (this.#directories === undefined) return [AT_FDCWD, pathBytes(path)];
    const cut = path.lastIndexOf("/");
    const directory = this.#directories.get(path.slice(0, cut) || "/");
    if (directory === undefined) throw systemFault("EACCES");
    return [directory, pathBytes(path.slice(cut + 1))];
  }

  #callOnNumbers(call: number, ...numbers: number[]): number {
    const [a, b, c] = [...numbers, 0, 0].map(BigInt) as [bigint, bigint, bigint];
    return this.#uninterrupted(() => this.#library.syscall(BigInt(call), a, b, c, 0n, 0n, NONE));
  }

  /** Repeats a call that a signal has interrupted. Throws the system's error. */
  #uninterrupted(call: () => bigint): number {
    for (;;) {
      const result = call();
      if (result >= 0n) return Number(result);
      const error = this.#lastError();
      if (error !== "EINTR") throw systemFault(error);
    }
  }

  #lastError(): string {
    const error = new Int32Array(1);
    this.#library.memcpy(new Uint8Array(error.buffer), this.#errorPlace, asWord(4));
    return errorName(error[0]!);
  }
}

/** The device and the number of a file in a status. */
function identityOf(view: DataView): string {
  return `${view.getBigInt64(0, true)} ${view.getBigInt64(8, true)}`;
}

/** The time in a status, in milliseconds since 1970. */
function changedAt(view: DataView, at: number): number {
  const nanoseconds = view.getUint32(at + 8, true);
  return Number(view.getBigInt64(at, true)) * 1000 + Math.floor(nanoseconds / 1e6);
}

function pathBytes(path: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${path}\0`);
}

/** The errors have the runtime's own classes, because callers look at the class. */
const ERRORS: Readonly<Record<string, [type: typeof Deno.errors.NotFound, words: string]>> = {
  ENOENT: [Deno.errors.NotFound, "No such file or directory"],
  EEXIST: [Deno.errors.AlreadyExists, "File exists"],
  EACCES: [Deno.errors.PermissionDenied, "Permission denied"],
  EPERM: [Deno.errors.PermissionDenied, "Operation not permitted"],
};

function systemFault(code: string): Error {
  const [type, words] = ERRORS[code] ?? [Error, `The system refuses it (${code})`];
  return Object.assign(new type(words), { code });
}
