/** Code for the classic BPF machine (`bpf(4)`), which a filter of system calls runs on. */

/** The whole argument is compared. */
export const WHOLE = 0xffffffff;

/**
 * Instructions. Each has two words, as in `struct sock_filter`. The first has 16 bits of code, and
 * above them 8 for each jump, if true and if false. The second is the operand. Both machines are
 * little-endian.
 */
export type Code = readonly number[];

/** The number of instructions in some code. */
export const instructionsIn = (code: Code) => code.length / 2;
/** Loads a word of the filter's input (`struct seccomp_data`). */
export const load = (offset: number): Code => [0x20, offset];
/** Goes on after `yes` instructions when the word is `value`, else after `no`. */
export function equals(value: number, yes: number, no: number): Code {
  return [0x15 | yes << 16 | no << 24, value];
}
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
  const code = [0x20, 16 + 8 * arg, 0x54, mask];
  // A value that is found skips the tests of those behind it.
  let skipped = values.length + instructionsIn(no);
  for (const value of values) code.push(0x15 | --skipped << 16, value);
  code.push(...no, ...yes);
  return code;
}

/** Goes on with `yes` when argument `arg` has one of `bits`, else with `no`. */
export function anyBit([arg, bits]: [arg: number, bits: number], yes: Code, no: Code): Code {
  return [...load(16 + 8 * arg), 0x45 | instructionsIn(yes) << 24, bits, ...yes, ...no];
}
