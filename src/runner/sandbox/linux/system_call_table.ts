/**
 * Tables of system calls, and the only machine code of this project, which makes the calls of a
 * table in the two cases that allow no other way. One case is a child that shares this process's
 * memory, where nothing else may run. The other is a new process with one thread, which the kernel
 * requires for entering a user namespace.
 *
 * A table has entries of eight 64-bit words. They are the call's number with a 32-bit mark above
 * it, six arguments, and the address for the call's result (0: nowhere). A table ends with an entry
 * whose number is negative.
 */

import {
  address,
  type Kernel,
  pathBytes,
  type SystemCallName,
  systemCallNumber,
} from "./kernel.ts";
import * as x86_64 from "./machine_code_x86_64.ts";

/** A position in the table's own memory. */
export interface Placed {
  /** The number of bytes after the entries. */
  at: number;
}

/** The result of a call, which becomes an argument of a later one. */
export interface SystemCallResult {
  /** The index of the call's entry. */
  entry: number;
}

/** A call of a table. */
interface Entry {
  name: SystemCallName;
  /** Numbers, addresses of something in the table, and results. */
  args: readonly (number | Placed | SystemCallResult)[];
  /** Whether later calls are made when it fails; or the address of the error's text. */
  mark: number | Placed;
}

const [WORD, WORDS] = [8, 8];
const END = 0xffffffff;

/** Writes a table of system calls. */
export class SystemCallTable {
  #entries: Entry[] = [];
  #data: Uint8Array[] = [];
  #size = 0;
  #kept: { result: SystemCallResult; placed: Placed }[] = [];

  /** Puts bytes into the table, and returns their position. */
  bytes(bytes: Uint8Array): Placed {
    const placed = { at: this.#size };
    this.#data.push(bytes);
    this.#size += Math.ceil(bytes.length / WORD) * WORD;
    return placed;
  }

  /** Puts a text with a NUL into the table. */
  text(text: string): Placed {
    return this.bytes(pathBytes(text));
  }

  /** Puts 64-bit words into the table. */
  words(...words: number[]): Placed {
    return this.bytes(new Uint8Array(BigUint64Array.from(words, BigInt).buffer));
  }

  /** Adds a call. A result may be an argument of one later call. */
  call(name: SystemCallName, args: Entry["args"], mark: Entry["mark"] = 0): SystemCallResult {
    this.#entries.push({ name, args, mark });
    return { entry: this.#entries.length - 1 };
  }

  /** Keeps the result of a call, which no other takes: -1 until there is one. */
  keep(result: SystemCallResult): Placed {
    const placed = this.bytes(new Uint8Array(WORD).fill(0xff));
    this.#kept.push({ result, placed });
    return placed;
  }

  /** The length of the table, in bytes. */
  get size(): number {
    return (this.#entries.length + 1) * WORDS * WORD + this.#size;
  }

  /** The table as it is at address `base`; the entry at its end has the mark `last`. */
  build(
    { base, last = 0, into: bytes = new Uint8Array(this.size) }: {
      base: number;
      last?: Entry["mark"];
      into?: Uint8Array<ArrayBuffer>;
    },
  ): Table {
    const end = this.#entries.length;
    const data = (end + 1) * WORDS * WORD;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const address = (word: number | Placed) =>
      typeof word === "number" ? word : base + data + word.at;
    const taken: number[] = [];
    const wordAt = (entry: number, index: number) => (entry * WORDS + index) * WORD;
    for (const [entry, { name, args, mark }] of this.#entries.entries()) {
      view.setUint32(wordAt(entry, 0), systemCallNumber(name)!, true);
      view.setUint32(wordAt(entry, 0) + 4, address(mark), true);
      for (const [index, arg] of args.entries()) {
        const at = wordAt(entry, index + 1);
        if (typeof arg === "object" && "entry" in arg) {
          // If a call was not made, its descriptor is an invalid one.
          view.setBigInt64(at, -1n, true);
          view.setBigUint64(wordAt(arg.entry, WORDS - 1), BigInt(base + at), true);
          taken.push(at);
        } else view.setBigInt64(at, BigInt(address(arg)), true);
      }
    }
    view.setUint32(wordAt(end, 0), END, true);
    view.setUint32(wordAt(end, 0) + 4, address(last), true);
    for (const { result, placed } of this.#kept) {
      view.setBigUint64(wordAt(result.entry, WORDS - 1), BigInt(address(placed)), true);
    }
    let at = data;
    for (const part of this.#data) {
      bytes.set(part, at);
      at += Math.ceil(part.length / WORD) * WORD;
    }
    const wordIn = (offset: number) => Number(view.getBigInt64(offset, true));
    return {
      bytes,
      taken: () => taken.map(wordIn),
      kept: (placed) => wordIn(data + placed.at),
    };
  }
}

/** A table in memory, to be read once its calls were made. */
interface Table {
  bytes: Uint8Array<ArrayBuffer>;
  /** The results that later calls took as arguments; negative for a call that failed or was not made. */
  taken(): number[];
  /** A result that was kept. */
  kept(placed: Placed): number;
}

/** The listings for this machine; those for another one are not loaded. */
const { RUN, ENTER } = Deno.build.arch === "x86_64"
  ? x86_64
  : await import("./machine_code_aarch64.ts");

/** The bytes of a listing, which come before its instructions. A line with `;` names a position. */
function assembled(listing: string): Uint8Array<ArrayBuffer> {
  const hex = listing.split("\n").filter((line) => !line.includes(";"))
    .flatMap((line) => line.slice(0, 26).match(/\b[0-9a-f]{2}\b/g) ?? []);
  return Uint8Array.from(hex, (byte) => parseInt(byte, 16));
}

const [CLONE_VM, CLONE_FILES, CLONE_VFORK] = [0x100, 0x400, 0x4000];
const [PROT_READ, PROT_WRITE, PROT_EXEC, MAP_PRIVATE_ANONYMOUS] = [1, 2, 4, 0x22];
const WAIT_FOR_ANY_KIND = 0x40000000;
const [SIG_SETMASK, SIGNAL_SET_BYTES] = [2, 8];
const CODE_BYTES = 4096;
const FUNCTION = { parameters: ["buffer"], result: "i64" } as const;

/**
 * Makes the calls of a table in a child with new namespaces, up to the first that fails and has no
 * mark. The child shares this process's memory and descriptors, and this thread waits for its end.
 * The child has one thread, which new namespaces need; this process has more. Returns the table
 * with what the calls returned, or nothing where no such child can be made.
 */
export function runInChild(
  kernel: Kernel,
  table: SystemCallTable,
  namespaces: number,
): Table | undefined {
  const access = PROT_READ | PROT_WRITE;
  const memory = kernel.call("mmap", 0, CODE_BYTES, access, MAP_PRIVATE_ANONYMOUS, -1);
  const pointer = memory > 0 ? Deno.UnsafePointer.create(BigInt(memory)) : null;
  if (pointer === null) return undefined;
  try {
    new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(pointer, CODE_BYTES)).set(assembled(RUN));
    if (kernel.call("mprotect", memory, CODE_BYTES, PROT_READ | PROT_EXEC) !== 0) return undefined;
    // The code takes the address of a word with flags of `clone(2)`, which the table follows. It
    // returns the child's id, or the negative error of `clone`.
    const bytes = new Uint8Array(WORD + table.size);
    const flags = CLONE_VM | CLONE_FILES | CLONE_VFORK | namespaces;
    new BigUint64Array(bytes.buffer, 0, 1)[0] = BigInt(flags);
    const base = Number(address(bytes)) + WORD;
    const built = table.build({ base, into: bytes.subarray(WORD) });
    const run = new Deno.UnsafeFnPointer(pointer as Deno.PointerObject<typeof FUNCTION>, FUNCTION);
    const child = withoutSignals(kernel, () => Number(run.call(bytes)));
    if (child <= 0) return undefined;
    kernel.call("wait4", child, 0, WAIT_FOR_ANY_KIND);
    return built;
  } finally {
    kernel.call("munmap", memory, CODE_BYTES);
  }
}

/** A handler of this process must not run in the child, which shares its memory. */
function withoutSignals<T>(kernel: Kernel, run: () => T): T {
  const set = (to: Uint8Array<ArrayBuffer>, old: Uint8Array<ArrayBuffer> | 0) =>
    kernel.call("rt_sigprocmask", SIG_SETMASK, to, old, SIGNAL_SET_BYTES);
  const before = new Uint8Array(SIGNAL_SET_BYTES);
  set(new Uint8Array(SIGNAL_SET_BYTES).fill(0xff), before);
  try {
    return run();
  } finally {
    set(before, 0);
  }
}

/** The addresses of {@link enterProgram} and of its table in memory. */
const [IMAGE, TABLE] = [0x400000, 0x400200];
const [HEADER, PROGRAM_HEADER] = [64, 56];
const [ET_EXEC, EM_X86_64, EM_AARCH64, PT_LOAD] = [2, 62, 183, 1];
/** Its one segment is executed, read and written: the kernel writes what the calls return. */
const EXECUTE_WRITE_READ = 7;

/**
 * A program, as an executable file (ELF), that makes the calls of a table. Then it becomes the
 * program that its first argument names, with the rest as that program's arguments. When a call
 * fails, it writes to stderr the text whose address is the mark of that entry, its length first. It
 * also writes the number of the error, and exits with 126. `last` is the mark of the last step.
 */
export function enterProgram(table: SystemCallTable, last: Placed): Uint8Array<ArrayBuffer> {
  const begin = HEADER + PROGRAM_HEADER;
  const data = table.build({ base: TABLE, last }).bytes;
  const file = new Uint8Array(TABLE - IMAGE + data.length);
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  file.set(assembled(ENTER), begin);
  file.set(data, TABLE - IMAGE);
  const view = new DataView(file.buffer);
  view.setUint16(16, ET_EXEC, true);
  view.setUint16(18, Deno.build.arch === "x86_64" ? EM_X86_64 : EM_AARCH64, true);
  view.setUint32(20, 1, true);
  view.setBigUint64(24, BigInt(IMAGE + begin), true);
  view.setBigUint64(32, BigInt(HEADER), true);
  view.setUint16(52, HEADER, true);
  view.setUint16(54, PROGRAM_HEADER, true);
  view.setUint16(56, 1, true);
  view.setUint32(HEADER, PT_LOAD, true);
  view.setUint32(HEADER + 4, EXECUTE_WRITE_READ, true);
  for (const [at, value] of [[16, IMAGE], [24, IMAGE], [32, file.length], [40, file.length]]) {
    view.setBigUint64(HEADER + at!, BigInt(value!), true);
  }
  view.setBigUint64(HEADER + 48, 0x10000n, true);
  return file;
}
