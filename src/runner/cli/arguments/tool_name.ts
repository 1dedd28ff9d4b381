import type { CallOptions } from "../../call/call.ts";
import type { CommandLine } from "../command.ts";
import { misplacedValue } from "../misplaced_value.ts";

/**
 * The name of the only tool that is called `given` without regard to case, or else `given`. Throws
 * {@link UsageError} if `given` is no tool and follows a flag that may have a value.
 */
export function findTypedName(
  given: string,
  { operands, line, options: { registry } }: {
    operands: readonly string[];
    line: CommandLine;
    options: CallOptions;
  },
): string {
  const lower = given.toLowerCase();
  const found = registry.entries().filter(({ name, aliases }) =>
    [name, ...aliases].some((each) => each.toLowerCase() === lower)
  );
  if (found.length === 1) return found[0]!.name;
  const fault = misplacedValue(line, line.positionals.length - operands.length);
  if (fault !== undefined) throw fault;
  return given;
}
