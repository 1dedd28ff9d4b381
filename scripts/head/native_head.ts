import { machineCode } from "./machine_code.ts";

/** An architecture that has a native head. */
export type Architecture = keyof typeof machineCode;

/** The address of the file's first byte in memory, and the length of its headers before the code. */
const [BASE, HEADERS] = [0x400000, 192];

/** The address of the code, as `head.ld` places it. */
export const CODE_ADDRESS = BASE + HEADERS;

/** The values that `head.c` reads after its code. */
export interface HeadValues {
  /** The name of the pointer to this version in the cache. */
  key: string;
  /** The files whose sizes are checked, and the sum of these sizes in bytes. */
  files: readonly string[];
  size: number;
  /** The variables that the script puts aside. */
  variables: readonly string[];
  /** The options of `deno run`. */
  flags: readonly string[];
  /** The script for every start that is not a warm one. */
  script: string;
}

/** The architecture of this platform's head, if it has a native one. */
export function ownArchitecture(): Architecture | undefined {
  return Deno.build.os === "linux" ? Deno.build.arch : undefined;
}

/** The start of an executable for Linux (`elf(5)`): the machine code of `head.c` with its values. */
export function nativeHead(
  architecture: Architecture,
  { key, files, size, variables, flags, script }: HeadValues,
): Uint8Array {
  const code = Uint8Array.fromBase64(machineCode[architecture].code);
  const lists = [[key], files, variables, flags].map((list) =>
    [...list, ""].map((text) => `${text}\0`).join("")
  );
  const values = new TextEncoder().encode(`${lists.join("")}${script}\0`);
  const head = new Uint8Array(HEADERS + code.length + 8 + values.length);
  head.set(headers(architecture, head.length));
  head.set(code, HEADERS);
  new DataView(head.buffer).setBigUint64(HEADERS + code.length, BigInt(size), true);
  head.set(values, HEADERS + code.length + 8);
  return head;
}

/** The headers of a file whose first `length` bytes are one read-only segment with the code. */
function headers(architecture: Architecture, length: number): Uint8Array {
  const bytes = new Uint8Array(HEADERS);
  const view = new DataView(bytes.buffer);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  const MACHINES = { x86_64: 62, aarch64: 183 };
  const [EXECUTABLE, FILE_HEADER, PROGRAM_HEADER] = [2, 64, 56];
  view.setUint16(16, EXECUTABLE, true);
  view.setUint16(18, MACHINES[architecture], true);
  view.setUint32(20, 1, true);
  view.setBigUint64(24, BigInt(CODE_ADDRESS), true);
  view.setBigUint64(32, BigInt(FILE_HEADER), true);
  [FILE_HEADER, PROGRAM_HEADER, 2].forEach((value, at) => view.setUint16(52 + 2 * at, value, true));
  const [PT_LOAD, PT_GNU_STACK, READ, WRITE, EXECUTE] = [1, 0x6474e551, 4, 2, 1];
  const segment = (at: number, [type, flags, ...words]: [number, number, ...number[]]) => {
    view.setUint32(at, type, true);
    view.setUint32(at + 4, flags, true);
    words.forEach((word, index) => view.setBigUint64(at + 8 + 8 * index, BigInt(word), true));
  };
  // Pages have at most 64 KiB.
  segment(FILE_HEADER, [PT_LOAD, READ | EXECUTE, 0, BASE, BASE, length, length, 0x10000]);
  segment(FILE_HEADER + PROGRAM_HEADER, [PT_GNU_STACK, READ | WRITE, 0, 0, 0, 0, 0, 16]);
  return bytes;
}
