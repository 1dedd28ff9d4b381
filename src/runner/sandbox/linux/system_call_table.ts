import { type Arch, type SystemCallName, systemCallNumbers } from "./system_call_numbers.ts";

/** A position in the table's own memory. */
export interface Placed {
  /** The number of bytes after the entries. */
  at: number;
}

/** An argument of a system call in a table: a number, or the address of something in it. */
export type TableWord = number | Placed;

/** The result of a call, which becomes an argument of a later one. */
export interface SystemCallResult {
  /** The index of the call's entry. */
  entry: number;
}

/** A call of a table. */
interface Entry {
  name: SystemCallName;
  args: readonly (TableWord | SystemCallResult)[];
  /** Whether later calls are made when it fails; or the address of the error's text. */
  mark: number | Placed;
}

const [WORD, WORDS] = [8, 8];
const END = 0xffffffff;

/** Writes a table of system calls, as `machine_code.ts` reads it. */
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
    return this.bytes(new TextEncoder().encode(`${text}\0`));
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
    arch: Arch,
    { base, last = 0, into }: {
      base: number;
      last?: Entry["mark"];
      into?: Uint8Array<ArrayBuffer>;
    },
  ): Table {
    const numbers = systemCallNumbers(arch);
    const data = (this.#entries.length + 1) * WORDS * WORD;
    const bytes = into ?? new Uint8Array(this.size);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const address = (word: TableWord) => typeof word === "number" ? word : base + data + word.at;
    const taken: number[] = [];
    const wordAt = (entry: number, index: number) => (entry * WORDS + index) * WORD;
    for (const [entry, { name, args, mark }] of this.#entries.entries()) {
      view.setUint32(wordAt(entry, 0), numbers[name]!, true);
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
    view.setUint32(wordAt(this.#entries.length, 0), END, true);
    view.setUint32(wordAt(this.#entries.length, 0) + 4, address(last), true);
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
export interface Table {
  /** The table. */
  bytes: Uint8Array<ArrayBuffer>;
  /** The results that later calls took as arguments; negative for a call that failed or was not made. */
  taken(): number[];
  /** A result that was kept. */
  kept(placed: Placed): number;
}
