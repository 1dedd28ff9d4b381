import { UsageError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import { Registry } from "../../registry/registry.ts";
import type { Command } from "../command.ts";
import { refuseOperands } from "../operands.ts";
import { completionScript, shells } from "../print/completions.ts";
import { writeAll } from "../streams.ts";

/** `toolcall completions bash|zsh|fish`: prints the script for a shell. */
export const completionsCommand: Command = async (line, operands, process) => {
  refuseOperands(operands, 1, line);
  const [given] = operands;
  const known = `available: ${shells.join(", ")}`;
  if (given === undefined) {
    throw new UsageError(`Missing shell: toolcall completions SHELL; ${known}`);
  }
  const shell = shells.find((each) => each === given);
  if (shell === undefined) throw new UsageError(`Unknown shell ${quote(given)}; ${known}`);
  const tools = await new Registry(process.entries).list();
  await writeAll(process.stdout, completionScript(shell, tools));
  return 0;
};
