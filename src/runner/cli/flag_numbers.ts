/** Reads flags whose values are numbers or times. */

import { UsageError } from "../../base/errors.ts";
import { thousands } from "../../base/text/amounts.ts";
import { quote } from "../../base/text/quote.ts";
import type { CommandLine } from "./command.ts";

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** The whole number of a flag, if it is given. Throws {@link UsageError}. */
export function countOf(
  { options }: CommandLine,
  name: string,
  { most }: { most: number },
): number | undefined {
  const given = options.get(name);
  if (given === undefined) return undefined;
  const count = /^[1-9]\d{0,8}$/.test(given) ? Number(given) : Infinity;
  if (count <= most) return count;
  const range = `a whole number from 1 to ${thousands(most)}`;
  throw new UsageError(`The flag --${name} needs ${range}, not ${quote(given, 80)}`);
}

/** The time of a flag in milliseconds, if it is given. Throws {@link UsageError}. */
export function durationOf({ options }: CommandLine, name: string): number | undefined {
  const given = options.get(name);
  if (given === undefined) return undefined;
  const [, number, unit = ""] = /^(\d{1,7}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(given) ?? [];
  const ms = Number(number) * UNITS[unit]!;
  if (ms > 0) return Math.ceil(ms);
  throw new UsageError(
    `Invalid --${name}=${quote(given)}: expected a time such as 500ms, 30s or 5m`,
  );
}
