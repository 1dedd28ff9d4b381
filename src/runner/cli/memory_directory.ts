import { pathRules } from "../../base/fs/path_rules.ts";
import { UsageError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { Grants } from "../sandbox/policy/grants.ts";
import { realPathIfAny, untrustedLink } from "../sandbox/policy/paths.ts";

/**
 * The option of `--memory-dir`: the real path of the directory, which need not exist. Throws
 * {@link UsageError} if a call could choose another directory.
 */
export function memoryDirectory(
  { options }: { options: ReadonlyMap<string, string> },
  { here, grants }: { here: string; grants: Grants },
): { memoryDirectory: string } {
  const given = options.get("memory-dir")!;
  const fail = (why: string) =>
    new UsageError(`Cannot use --memory-dir=${quote(given, 4096)}: ${why}`);
  if (given === "") throw fail("give a directory");
  const path = pathRules.resolve(here, given);
  const real = realPathIfAny(path);
  if (real === undefined) throw fail("its path cannot be resolved");
  if (options.has("no-links") && real !== path) throw fail("it goes through a symbolic link");
  const planted = untrustedLink(path, grants.allow.write);
  if (planted !== undefined) {
    throw fail(
      `it goes through the symbolic link ${quote(planted)}, which is in a place that calls may ` +
        "write to; give the path that it leads to",
    );
  }
  return { memoryDirectory: real };
}
