/** Files through the C library, which can open them without waiting, unlike the runtime. */

import { asWord, type CLibrary, loadCLibrary, MACHINES } from "./c_library.ts";
import { copyAttributes } from "./file_attributes.ts";
import { errorCode, errorName } from "../error_code.ts";
import type { FileCalls, FileStatus, PathStatus } from "./file_calls.ts";
import { changedAt, identityOf, int64, statusIn } from "./native_status.ts";

const AT_FDCWD = -100;
/** The flags of an open that may change a file: to write, and to create. */
const CHANGES = 0o103;
/** Opens nothing but the path. */
const O_PATH_CLOEXEC = 0o12000000;
const LOCK_EX_NB = 6;
const STAT_BYTES = 144;
const NONE = asWord(0);
const AT_SYMLINK_NOFOLLOW = 0x100;
/** The number of `openat2(2)` on all machines. */
const OPENAT2 = 437;
/** Neither symlinks, nor `..` out of the directory, nor another file system (`openat2(2)`). */
const RESOLVE_BENEATH_ONLY = 0x01n | 0x04n | 0x08n;
/** Opens to read: no controlling terminal, without waiting, not inherited. */
const READ_AT_ONCE = 0o2004400n;
/** A `struct open_how`: flags, mode and resolve. */
const OPEN_BENEATH = new Uint8Array(
  new BigUint64Array([READ_AT_ONCE, 0n, RESOLVE_BENEATH_ONLY]).buffer,
);
const STATFS_BYTES = 120;
const REGULAR = 0o100000;
const TYPE = 0o170000;

/** The system's calls for files. Returns `undefined` where {@link loadCLibrary} does. */
export function openNativeFiles(): FileCalls | undefined {
  const library = loadCLibrary(...FUNCTIONS);
  return library && new NativeFiles(library.symbols);
}

const FUNCTIONS = [
  ...["syscall", "syscallOnMemory", "syscallOnPaths", "syscallOnTwo"] as const,
  ...["errorPlace", "memcpy"] as const,
];

type Functions = CLibrary<typeof FUNCTIONS[number]>["symbols"];

const encoder = new TextEncoder();

class NativeFiles implements FileCalls {
  #library: Functions;
  #errorPlace: Deno.PointerValue;
  #machine = MACHINES[Deno.build.arch];
  #newfstatat = this.#machine.newfstatat;
  #fstat = BigInt(this.#machine.fstat);
  #read = BigInt(this.#machine.read);
  #close = BigInt(this.#machine.close);
  /** Memory for one look at a time. */
  #name = new Uint8Array(4_096);
  #statusBytes = new Uint8Array(STAT_BYTES);
  #status = new DataView(this.#statusBytes.buffer);
  #directories: ReadonlyMap<string, number> | undefined;

  constructor(library: Functions) {
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
    if (!this.#lookAt(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW)) return undefined;
    const at = this.#machine.stat;
    const view = this.#status;
    return {
      mode: view.getUint32(at.mode, true),
      changed: changedAt(view, at.mtime),
      size: int64(view, at.size),
    };
  }

  isMissing(path: string): boolean {
    return !this.#lookAt(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW) &&
      /^ENO(ENT|TDIR)$/.test(this.#lastError());
  }

  /** Puts the status of what is at a path into `#status`, and the path into `#name`. */
  #lookAt(from: number, path: string, flags: number): boolean {
    const [name, status] = [this.#name, this.#statusBytes];
    const { read, written } = encoder.encodeInto(path, name);
    if (read < path.length || written === name.length || path.includes("\0")) return false;
    name[written] = 0;
    return this.#library.syscallOnTwo(this.#newfstatat, from, name, status, flags, NONE) === 0;
  }

  identity(path: string): string | undefined {
    return this.#lookAt(AT_FDCWD, path, 0) ? identityOf(this.#status) : undefined;
  }

  readBeneath(
    directory: number,
    name: string,
    maxBytes: number,
  ): Uint8Array<ArrayBuffer> | undefined {
    // Opening a pipe or a device may do something, so its kind is looked at first.
    if (!this.#lookAt(directory, name, AT_SYMLINK_NOFOLLOW) || !this.#isShort(maxBytes)) {
      return undefined;
    }
    const { syscallOnTwo, syscallOnMemory } = this.#library;
    const how = [OPEN_BENEATH, OPEN_BENEATH.length, NONE] as const;
    const opened = syscallOnTwo(OPENAT2, directory, this.#name, ...how);
    if (opened < 0) return undefined;
    const file = BigInt(opened);
    try {
      const status = this.#statusBytes;
      if (syscallOnMemory(this.#fstat, file, status, 0n, NONE) < 0n) return undefined;
      if (!this.#isShort(maxBytes)) return undefined;
      // The buffer has one byte more than the file, which shows that a file has grown.
      const size = this.#status.getUint32(this.#machine.stat.size, true);
      const buffer = new Uint8Array(size + 1);
      const count = syscallOnMemory(this.#read, file, buffer, BigInt(size + 1), NONE);
      return count === BigInt(size) ? buffer.subarray(0, size) : undefined;
    } finally {
      syscallOnMemory(this.#close, file, null, 0n, NONE);
    }
  }

  /** Whether `#status` is that of a regular file which is not empty and has at most so many bytes. */
  #isShort(maxBytes: number): boolean {
    const { mode, size } = this.#machine.stat;
    if ((this.#status.getUint32(mode, true) & TYPE) !== REGULAR) return false;
    const low = this.#status.getUint32(size, true);
    return low > 0 && low <= maxBytes && this.#status.getUint32(size + 4, true) === 0;
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
    return statusIn(new DataView(bytes.buffer), at);
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

  truncate(descriptor: number, size: number): void {
    this.#callOnNumbers(this.#machine.ftruncate, descriptor, size);
  }

  copyAttributes(from: number, to: number): boolean {
    return copyAttributes(from, to, this.#library);
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

function pathBytes(path: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${path}\0`);
}

/** The errors have the runtime's own classes, because callers look at the class. */
const ERRORS = new Map<string, [type: typeof Deno.errors.NotFound, words: string]>([
  ["ENOENT", [Deno.errors.NotFound, "No such file or directory"]],
  ["EEXIST", [Deno.errors.AlreadyExists, "File exists"]],
  ["EACCES", [Deno.errors.PermissionDenied, "Permission denied"]],
  ["EPERM", [Deno.errors.PermissionDenied, "Operation not permitted"]],
]);

function systemFault(code: string): Error {
  const [type, words] = ERRORS.get(code) ?? [Error, `The system refuses it (${code})`];
  return Object.assign(new type(words), { code });
}
