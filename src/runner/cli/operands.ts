/** The arguments that are not flags, and what is wrong with them. */

import { UsageError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { flags } from "./flags.ts";

/** The positionals of a command line, and the flags that may have been meant to have them. */
export interface FlaggedPositionals {
  /** The arguments that are not flags, in order. */
  positionals: readonly string[];
  /**
   * The flags right before a positional that could have had a value and have none, by the index of
   * the positional.
   */
  bareFlags: ReadonlyMap<number, string>;
}

/**
 * The error for a positional that was probably meant as the value of the flag before it, which
 * takes a value only after `=`. Returns undefined if there is no such flag.
 */
export function misplacedValue(line: FlaggedPositionals, index: number): UsageError | undefined {
  const [given, value] = [line.bareFlags.get(index), line.positionals[index]];
  if (given === undefined || value === undefined) return undefined;
  const list = value.replaceAll(",", ",,");
  const word = /^[\w.,:/@+~-]+$/.test(list) ? list : quote(list);
  const { name } = flags.find(({ short }) => short === given.slice(1)) ?? {};
  const long = name === undefined ? "" : ` (or --${name}=${word})`;
  return new UsageError(
    `${quote(value, 80)} looks like a value of ${given}; write ${given}=${word}${long}`,
  );
}

/**
 * Throws {@link UsageError} if there are more operands than the command takes. With the line, the
 * message names a flag whose value the operand probably is.
 */
export function refuseOperands(
  operands: readonly string[],
  most: number,
  line?: FlaggedPositionals,
): void {
  const extra = operands[most];
  if (extra === undefined) return;
  const start = (line?.positionals.length ?? 0) - operands.length;
  const faults = operands.map((_, at) => line && misplacedValue(line, start + at));
  throw faults.find((fault) => fault !== undefined) ??
    new UsageError(`Unexpected argument ${quote(extra, 80)}; see "toolcall --help"`);
}
