/** Reads flags whose values are numbers or times. */

import { parseDuration } from "../../base/duration.ts";
import { UsageError } from "../../base/errors.ts";
import { thousands } from "../../base/text/amounts.ts";
import { quote } from "../../base/text/quote.ts";
import type { CommandLine } from "./command.ts";

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
  const ms = parseDuration(given) ?? 0;
  if (ms > 0) return ms;
  throw new UsageError(
    `Invalid --${name}=${quote(given)}: expected a time such as 500ms, 30s or 5m`,
  );
}
