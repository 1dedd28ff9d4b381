/** The C library, of which the functions are called without compiling machine code for them. */

/**
 * A number. The runtime compiles machine code for each function of a library, which costs a cold
 * call half a millisecond. It does not do so for a function with a structure among its parameters.
 * A structure of one word is passed as that word is.
 */
export const WORD = { struct: ["i64"] } as const;

const FUNCTIONS = {
  /** `syscall(2)`, whose arguments are all numbers. */
  syscall: { parameters: ["i64", "i64", "i64", "i64", "i64", "i64", WORD], result: "i64" },
  /** The same; its third argument is memory, which needs no permission here. */
  syscallOnMemory: {
    name: "syscall",
    parameters: ["i64", "i64", "buffer", "i64", WORD],
    result: "i64",
  },
  /** The same for two paths, each after the descriptor of its directory. */
  syscallOnPaths: {
    name: "syscall",
    parameters: ["i64", "i64", "buffer", "i64", "buffer", WORD],
    result: "i64",
  },
  /**
   * The same; its third and fourth arguments are memory. Its numbers need no BigInt, because a search
   * makes thousands of such calls.
   */
  syscallOnTwo: {
    name: "syscall",
    parameters: ["i32", "i32", "buffer", "buffer", "i32", WORD],
    result: "i32",
  },
  /** The address of the last error's number (`errno(3)`). The function takes no argument. */
  errorPlace: { name: "__errno_location", parameters: [WORD], result: "pointer" },
  /** `ppoll(2)`: the descriptors, their number, the time, and no mask of signals. */
  ppoll: { parameters: ["buffer", "i64", "buffer", WORD], result: "i32" },
  /** `memcpy(3)`. */
  memcpy: { parameters: ["buffer", "pointer", WORD], result: "void" },
} as const;

type Name = keyof typeof FUNCTIONS;

/** Functions of the C library. */
export type CLibrary<N extends Name> = Deno.DynamicLibrary<Pick<typeof FUNCTIONS, N>>;

/**
 * Loads the named functions of the C library; each costs a cold call up to 50 microseconds. Returns
 * `undefined` on another system, without the GNU C library, and in a thread that may load nothing
 * native.
 */
export function loadCLibrary<N extends Name>(...names: N[]): CLibrary<N> | undefined {
  if (Deno.build.os !== "linux") return undefined;
  const functions = Object.fromEntries(names.map((name) => [name, FUNCTIONS[name]]));
  try {
    return Deno.dlopen("libc.so.6", functions as Pick<typeof FUNCTIONS, N>);
  } catch {
    return undefined;
  }
}

/** A number as the last parameter of each function. */
export function asWord(value: number | bigint): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new BigInt64Array([BigInt(value)]).buffer);
}

/** The numbers of the system calls; `stat` has the offsets of the fields of its result. */
export const MACHINES = {
  x86_64: {
    ...{ read: 0, write: 1, close: 3, fstat: 5, flock: 73, fsync: 74, fchmod: 91, fchown: 93 },
    ...{ unlinkat: 263, renameat: 264, linkat: 265, O_NOFOLLOW: 0o400000 },
    ...{ ftruncate: 77, fsetxattr: 190, fgetxattr: 193, flistxattr: 196 },
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
    ...{ ftruncate: 46, fsetxattr: 7, fgetxattr: 10, flistxattr: 13 },
    ...{
      openat: 56,
      newfstatat: 79,
      fstatfs: 44,
      stat: { mode: 16, uid: 24, gid: 28, size: 48, mtime: 88 },
    },
  },
};
