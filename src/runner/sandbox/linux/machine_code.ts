/**
 * The only machine code of this project, as its assembler listings: bytes, then the instruction. It
 * makes system calls from a table in the two cases that allow no other way. One case is a child
 * that shares this process's memory, where nothing else may run. The other is a new process with
 * one thread, which the kernel requires for entering a user namespace.
 *
 * A table has entries of eight 64-bit words. They are the call's number with a 32-bit mark above
 * it, six arguments, and the address for the call's result (0: nowhere). A table ends with an entry
 * whose number is negative. `system_call_table.ts` writes it.
 */

import * as aarch64 from "./machine_code_aarch64.ts";
import * as x86_64 from "./machine_code_x86_64.ts";
import type { Arch } from "./system_call_numbers.ts";

/** The bytes of a listing, which come before its instructions. A line with `;` names a position. */
function assembled(listing: string): Uint8Array<ArrayBuffer> {
  const hex = listing.split("\n").filter((line) => !line.includes(";"))
    .flatMap((line) => line.slice(0, 26).match(/\b[0-9a-f]{2}\b/g) ?? []);
  return Uint8Array.from(hex, (byte) => parseInt(byte, 16));
}

/**
 * The function. Its argument is a table; the word before the table has flags of `clone(2)`. It
 * starts a child with these flags. The child makes the calls, up to the first that fails and has no
 * mark, and exits. Returns the child's id, or the negative error of `clone`.
 */
export function runInChildCode(arch: Arch): Uint8Array<ArrayBuffer> {
  return assembled((arch === "x86_64" ? x86_64 : aarch64).RUN);
}

/** The addresses of {@link enterProgram} and of its table in memory. */
const [IMAGE, TABLE] = [0x400000, 0x400200];

/**
 * The program, an executable file (ELF), with its table, which `table` writes for the address that
 * it will have. It makes the calls, and then becomes the program that its first argument names,
 * with the rest as that program's arguments. When a call fails, it writes to stderr the text whose
 * address is the mark of that entry, its length first. It also writes the number of the error, and
 * exits with 126.
 */
export function enterProgram(
  arch: Arch,
  table: (at: number) => Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  const code = assembled((arch === "x86_64" ? x86_64 : aarch64).ENTER);
  const data = table(TABLE);
  const [HEADER, PROGRAM_HEADER] = [64, 56];
  const begin = HEADER + PROGRAM_HEADER;
  const file = new Uint8Array(TABLE - IMAGE + data.length);
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  file.set(code, begin);
  file.set(data, TABLE - IMAGE);
  const view = new DataView(file.buffer);
  const [ET_EXEC, EM_X86_64, EM_AARCH64, PT_LOAD, READ_AND_EXECUTE] = [2, 62, 183, 1, 5];
  view.setUint16(16, ET_EXEC, true);
  view.setUint16(18, arch === "x86_64" ? EM_X86_64 : EM_AARCH64, true);
  view.setUint32(20, 1, true);
  view.setBigUint64(24, BigInt(IMAGE + begin), true);
  view.setBigUint64(32, BigInt(HEADER), true);
  view.setUint16(52, HEADER, true);
  view.setUint16(54, PROGRAM_HEADER, true);
  view.setUint16(56, 1, true);
  view.setUint32(HEADER, PT_LOAD, true);
  view.setUint32(HEADER + 4, READ_AND_EXECUTE, true);
  for (const [at, value] of [[16, IMAGE], [24, IMAGE], [32, file.length], [40, file.length]]) {
    view.setBigUint64(HEADER + at!, BigInt(value!), true);
  }
  view.setBigUint64(HEADER + 48, 0x10000n, true);
  return file;
}
