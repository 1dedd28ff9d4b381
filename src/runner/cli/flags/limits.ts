import type { Limits } from "../../sandbox/linux/privileges.ts";
import { quote } from "../../../base/text/quote.ts";
import { UsageError } from "../../../base/errors.ts";

/** The limits by their names in the flag. */
const NAMES: Readonly<Record<string, keyof Limits>> = {
  files: "files",
  processes: "processes",
  "file-size": "fileSize",
  memory: "memory",
};

const UNITS: Readonly<Record<string, number>> = { "": 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 };

/** The fewest files that this program needs itself. */
const MIN_FILES = 64;

/** The limits of `--limit=NAME=NUMBER[K|M|G],…`. Throws {@link UsageError}. */
export function limitsOf(list: string): Limits {
  const limits: Limits = {};
  for (const each of list.split(",")) {
    const [, name = "", number, unit = ""] = /^([\w-]+)=(\d{1,15})([KMG]?)$/.exec(each) ?? [];
    if (!Object.hasOwn(NAMES, name) || Number(number) < 1) {
      throw new UsageError(
        `Unknown limit ${quote(each)}; one is NAME=NUMBER, with K, M or G for sizes, ` +
          `and NAME one of ${Object.keys(NAMES).join(", ")}`,
      );
    }
    if (!Number.isSafeInteger(Number(number) * UNITS[unit]!)) {
      throw new UsageError(`The limit ${quote(each)} is too high`);
    }
    if (name === "files" && Number(number) < MIN_FILES) {
      throw new UsageError(
        `The limit ${quote(each)} is too low; files needs ${MIN_FILES} at least`,
      );
    }
    limits[NAMES[name]!] = Number(number) * UNITS[unit]!;
  }
  return limits;
}
