/** Files through the C library, which can open them without waiting, unlike the runtime. */

import { errorCode, errorName } from "../error_code.ts";
import type { FileCalls, FileStatus } from "./file_calls.ts";

/**
 * A number. The runtime compiles machine code for each function of a library, which costs a cold
 * call half a millisecond. It does not do so for a function with a structure among its parameters.
 * A structure of one word is passed as that word is.
 */
const WORD = { struct: ["i64"] } as const;

const FUNCTIONS = {
  /** `syscall(2)`, whose arguments are all numbers. */
  syscall: { parameters: ["i64", "i64", "i64", "i64", "i64", "i64", WORD], result: "i64" },
  /** The same; its third argument is memory, which needs no permission here. */
  syscallOnMemory: {
    name: "syscall",
    parameters: ["i64", "i64", "buffer", "i64", WORD],
    result: "i64",
  },
  /** The address of the last error's number (`errno(3)`). The function takes no argument. */
  errorPlace: { name: "__errno_location", parameters: [WORD], result: "pointer" },
  /** `memcpy(3)`. */
  memcpy: { parameters: ["buffer", "pointer", WORD], result: "void" },
} as const;

/** The C library; the parameters are those of the functions. */
export type CLibrary = Deno.DynamicLibrary<typeof FUNCTIONS>;

/**
 * Loads the C library. Returns `undefined` on another system, without the GNU C library, and in a
 * thread that may load nothing native.
 */
export function loadCLibrary(): CLibrary | undefined {
  if (Deno.build.os !== "linux") return undefined;
  try {
    return Deno.dlopen("libc.so.6", FUNCTIONS);
  } catch {
    return undefined;
  }
}

/** A number as the last parameter of each function. */
export function asWord(value: number | bigint): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new BigInt64Array([BigInt(value)]).buffer);
}

/** The numbers of the system calls; `stat` has the offsets of the fields of its result. */
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
/** Opens nothing but the path. */
const O_PATH_CLOEXEC = 0o12000000;
const LOCK_EX_NB = 6;
const STAT_BYTES = 144;
const NONE = asWord(0);

/** The system's calls for files. Returns `undefined` where {@link loadCLibrary} does. */
export function openNativeFiles(): FileCalls | undefined {
  const library = loadCLibrary();
  return library && new NativeFiles(library.symbols);
}

class NativeFiles implements FileCalls {
  #library: CLibrary["symbols"];
  #errorPlace: Deno.PointerValue;
  #machine = MACHINES[Deno.build.arch];

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

  open(path: string, flags: number, mode: number): number {
    const name = new TextEncoder().encode(`${path}\0`);
    return this.#callOnMemory(this.#machine.openat, AT_FDCWD, name, flags, mode);
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
      changed: number(at.mtime) * 1000 + Math.floor(number(at.mtime + 8) / 1e6),
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
