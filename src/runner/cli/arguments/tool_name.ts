import { resolve } from "@std/path/posix/resolve";
import type { CallOptions } from "../../call/call.ts";
import { workingDirectory } from "../../config/config_files.ts";
import type { Registry } from "../../registry/registry.ts";
import { isThere } from "../../sandbox/policy/paths.ts";
import type { CommandLine } from "../command.ts";
import { misplacedValue } from "../misplaced_value.ts";

/**
 * The name of the only tool that is called `given` without regard to case, or else `given`. Throws
 * {@link UsageError} if `given` is rather the value of the flag before it: a path, or a text that a
 * tool follows.
 */
export function findTypedName(
  given: string,
  { operands, line, options: { registry } }: {
    operands: readonly string[];
    line: CommandLine;
    options: CallOptions;
  },
): string {
  const found = toolIn(given, registry);
  if (found !== undefined) return found;
  const [, next] = operands;
  const isValue = /^[.~]|\//.test(given) || isThere(resolve(workingDirectory(), given)) ||
    next !== undefined && toolIn(next, registry) !== undefined;
  const fault = isValue && misplacedValue(line, line.positionals.length - operands.length);
  if (fault) throw fault;
  return given;
}

/** The name of the only tool with this name or alias in any case. */
function toolIn(given: string, registry: Registry): string | undefined {
  const lower = given.toLowerCase();
  const found = registry.entries().filter(({ name, aliases }) =>
    [name, ...aliases].some((each) => each.toLowerCase() === lower)
  );
  return found.length === 1 ? found[0]!.name : undefined;
}
