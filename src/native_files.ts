/** The C library's way to files, which can do what the runtime's cannot: open without waiting. */

import { errorName } from "./error_code.ts";
import type { FileCalls, FileStatus } from "./file_calls.ts";

/** The system calls by their numbers; `stat` is where the fields of its answer lie. */
const MACHINES = {
  x86_64: {
    ...{ read: 0, write: 1, close: 3, fstat: 5, flock: 73, fsync: 74, fchmod: 91, fchown: 93 },
    ...{ openat: 257, stat: { mode: 24, uid: 28, gid: 32, size: 48, mtime: 88 } },
  },
  aarch64: {
    ...{ read: 63, write: 64, close: 57, fstat: 80, flock: 32, fsync: 82, fchmod: 52, fchown: 55 },
    ...{ openat: 56, stat: { mode: 16, uid: 24, gid: 28, size: 48, mtime: 88 } },
  },
};

const AT_FDCWD = -100;
const LOCK_EX_NB = 6;
const STAT_BYTES = 144;

/** One function, `syscall`, under two names: its third argument is memory or a number. */
const WITH_MEMORY = {
  onMemory: {
    name: "syscall",
    parameters: ["i32", "i32", "buffer", "u32", "u32"],
    result: "i32",
  },
} as const;
/** Asked for only when it is needed: each function costs a cold call a tenth of a millisecond. */
const WITH_NUMBERS = {
  onNumbers: { name: "syscall", parameters: ["i32", "i32", "u32", "u32"], result: "i32" },
  errorPlace: { name: "__errno_location", parameters: [], result: "pointer" },
  memcpy: { parameters: ["buffer", "pointer", "usize"], result: "void" },
} as const;

/**
 * The system's calls for files, or `undefined` where they cannot be had: on another system, or
 * in a thread that may load nothing native. With `isLast`, all is loaded at once, for a thread
 * that gives the permission up.
 */
export function openNativeFiles({ isLast }: { isLast: boolean }): FileCalls | undefined {
  if (Deno.build.os !== "linux") return undefined;
  try {
    const calls = new NativeFiles();
    if (isLast) calls.loadRest();
    return calls;
  } catch {
    return undefined;
  }
}

class NativeFiles implements FileCalls {
  #library = Deno.dlopen("libc.so.6", WITH_MEMORY).symbols;
  #rest: ReturnType<typeof loadNumbers> | undefined;
  #machine = MACHINES[Deno.build.arch];

  loadRest(): ReturnType<typeof loadNumbers> {
    return this.#rest ??= loadNumbers();
  }

  open(path: string, flags: number, mode: number): number {
    const name = new TextEncoder().encode(`${path}\0`);
    return this.#onMemory(this.#machine.openat, AT_FDCWD, name, flags, mode);
  }

  stat(descriptor: number): Omit<FileStatus, "kind"> {
    const { fstat, stat: at } = this.#machine;
    const bytes = new Uint8Array(STAT_BYTES);
    this.#onMemory(fstat, descriptor, bytes, 0);
    const view = new DataView(bytes.buffer);
    const number = (offset: number) => Number(view.getBigInt64(offset, true));
    return {
      mode: view.getUint32(at.mode, true),
      uid: view.getUint32(at.uid, true),
      gid: view.getUint32(at.gid, true),
      size: number(at.size),
      dev: number(0),
      ino: number(8),
      changed: number(at.mtime) * 1000 + Math.floor(number(at.mtime + 8) / 1e6),
    };
  }

  read(descriptor: number, buffer: Uint8Array<ArrayBuffer>): number {
    return this.#onMemory(this.#machine.read, descriptor, buffer, buffer.length);
  }

  write(descriptor: number, bytes: Uint8Array<ArrayBuffer>): number {
    return this.#onMemory(this.#machine.write, descriptor, bytes, bytes.length);
  }

  lock(descriptor: number): boolean {
    const { onNumbers } = this.loadRest();
    if (onNumbers(this.#machine.flock, descriptor, LOCK_EX_NB, 0) === 0) return true;
    const error = this.#lastError();
    if (error === "EAGAIN") return false;
    throw systemFault(error);
  }

  chown(descriptor: number, { uid, gid }: { uid: number; gid: number }): void {
    this.#onNumbers(this.#machine.fchown, descriptor, uid, gid);
  }

  chmod(descriptor: number, mode: number): void {
    this.#onNumbers(this.#machine.fchmod, descriptor, mode, 0);
  }

  sync(descriptor: number): void {
    this.#onNumbers(this.#machine.fsync, descriptor, 0, 0);
  }

  close(descriptor: number): void {
    this.#library.onMemory(this.#machine.close, descriptor, null, 0, 0);
  }

  #onMemory(
    call: number,
    descriptor: number,
    memory: Uint8Array<ArrayBuffer>,
    third: number,
    fourth = 0,
  ): number {
    for (;;) {
      const result = this.#library.onMemory(call, descriptor, memory, third, fourth);
      if (result >= 0) return result;
      // What tells the error is loaded now, which may change it: then the call is made again.
      const isKnown = this.#rest !== undefined;
      this.loadRest();
      const error = this.#lastError();
      if (isKnown && error !== "EINTR") throw systemFault(error);
    }
  }

  #onNumbers(call: number, descriptor: number, third: number, fourth: number): void {
    if (this.loadRest().onNumbers(call, descriptor, third, fourth) < 0) {
      throw systemFault(this.#lastError());
    }
  }

  #lastError(): string {
    const { place, memcpy } = this.loadRest();
    const error = new Int32Array(1);
    memcpy(new Uint8Array(error.buffer), place, 4n);
    return errorName(error[0]!);
  }
}

function loadNumbers() {
  const { onNumbers, errorPlace, memcpy } = Deno.dlopen("libc.so.6", WITH_NUMBERS).symbols;
  return { onNumbers, memcpy, place: errorPlace() };
}

/** As the runtime's own, by class too: others look at it. */
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
