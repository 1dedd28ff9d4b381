import { pathRules } from "../../../base/fs/path_rules.ts";
import { CallError } from "../../../base/errors.ts";
import { nearest } from "../../../base/text/nearest.ts";
import { quote } from "../../../base/text/quote.ts";
import type { CallOptions } from "../../call/call.ts";
import { workingDirectory } from "../../config/config_files.ts";
import type { Registry } from "../../registry/registry.ts";
import { similarTool } from "../../registry/similar_tool.ts";
import { isThere } from "../../sandbox/policy/paths.ts";
import type { CommandLine } from "../command.ts";
import { commandNames } from "../print/help.ts";
import { misplacedValue } from "../operands.ts";

/** Words that people type for a command. */
const COMMAND_SYNONYMS: Readonly<Record<string, string>> = {
  ...{ ls: "list", tools: "list", show: "describe", info: "describe", install: "mcp install" },
  ...{ serve: "mcp", server: "mcp", batch: "submit", log: "audit", logs: "audit" },
  ...{ settings: "config", clean: "cache clean" },
};

/**
 * The name of the only tool that is called `given` without regard to case, or else `given`. Throws
 * {@link UsageError} if `given` is rather the value of the flag before it: a path, or a string that a
 * tool follows. Throws `tool_not_found` if it is rather a command.
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
  const isValue = /^[.~]|\//.test(given) || isThere(pathRules.resolve(workingDirectory(), given)) ||
    next !== undefined && toolIn(next, registry) !== undefined;
  const fault = isValue && misplacedValue(line, line.positionals.length - operands.length);
  if (fault) throw fault;
  const command = commandFor(given, registry);
  if (command === undefined) return given;
  const message = `Unknown tool ${quote(given)}; did you mean "toolcall ${command}"?`;
  throw new CallError("tool_not_found", message, { tool: given.slice(0, 200), command });
}

/** The command that an unknown name probably means, unless it resembles a tool more. */
function commandFor(given: string, registry: Registry): string | undefined {
  if (Object.hasOwn(COMMAND_SYNONYMS, given)) return COMMAND_SYNONYMS[given];
  return similarTool(given, registry.names()) === undefined
    ? nearest(given, commandNames)
    : undefined;
}

/** The name of the only tool with this name or alias in any case. */
function toolIn(given: string, registry: Registry): string | undefined {
  const lower = given.toLowerCase();
  const found = registry.entries().filter(({ name, aliases }) =>
    [name, ...aliases].some((each) => each.toLowerCase() === lower)
  );
  return found.length === 1 ? found[0]!.name : undefined;
}
