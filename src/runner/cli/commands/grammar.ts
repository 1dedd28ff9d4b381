import { callGrammar } from "../../../base/gbnf/grammar.ts";
import { findTools, useCatalogue, warn } from "../catalogue/catalogue.ts";
import type { Command } from "../command.ts";
import { writeAll } from "../streams.ts";
import { UsageError } from "../../../base/errors.ts";

/**
 * `toolcall grammar [NAME…]`: prints the grammar of calls of the listed or named tools. Features of
 * their schemas that it cannot express are reported on stderr. With `--strict` they make the exit
 * code 1.
 */
export const grammarCommand: Command = async (line, operands, process) => {
  const tools = await useCatalogue({ line }, process, (registry) => findTools(registry, operands));
  if (tools.length === 0) throw new UsageError("No tool was selected for the grammar");
  const { text, problems } = callGrammar(tools);
  await warn(problems, process);
  await writeAll(process.stdout, text);
  return problems.length > 0 && line.options.has("strict") ? 1 : 0;
};
