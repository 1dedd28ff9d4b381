/** The part of the classic BPF machine (`bpf(4)`) that a filter of system calls needs. */

import type { SystemCallName } from "./system_call_numbers.ts";

/**
 * Instructions of the classic BPF machine. Each has two words, as in `struct sock_filter`. The
 * first has 16 bits of code, and above them 8 for each jump, if true and if false. The second is
 * the operand. Both machines are little-endian.
 */
export type Code = readonly number[];

/** Adds the rule for a system call. */
export type AddRule = (name: SystemCallName, then: Code) => void;

/** The number of instructions. */
export const sizeOf = (code: Code) => code.length / 2;
/** Loads a word of the filter's input (`struct seccomp_data`). */
export const load = (offset: number): Code => [0x20, offset];
/** Goes on after `yes` instructions when the word is `value`, else after `no`. */
export const equals = (
  value: number,
  yes: number,
  no: number,
): Code => [0x15 | yes << 16 | no << 24, value];
/** Ends: the system call is made. */
export const allow: Code = [0x06, 0x7fff0000];
/** Ends: it fails with this error. */
export const fail = (errno: number): Code => [0x06, 0x00050000 | errno];

/** Goes on with `yes` when argument `arg`, under `mask`, is one of `values`, else with `no`. */
export function oneOf(
  [arg, mask, ...values]: [arg: number, mask: number, ...values: number[]],
  yes: Code,
  no: Code,
): Code {
  const tests = values.flatMap((value, at) =>
    equals(value, values.length - 1 - at + sizeOf(no), 0)
  );
  return [...load(16 + 8 * arg), 0x54, mask, ...tests, ...no, ...yes];
}

/** Goes on with `yes` when argument `arg` has one of `bits`, else with `no`. */
export function anyBit([arg, bits]: [arg: number, bits: number], yes: Code, no: Code): Code {
  return [...load(16 + 8 * arg), 0x45 | sizeOf(yes) << 24, bits, ...yes, ...no];
}
