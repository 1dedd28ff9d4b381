import type { ToolCall } from "../../call/call.ts";
import type { CommandLine } from "../command.ts";
import { commandLines } from "./example_command.ts";
import type { TextLayout } from "./style.ts";

/** The longest arguments that a command repeats, in characters of JSON. */
const MAX_REPEATED = 2_000;

/** The widest command, in columns. */
const MAX_WIDTH = 100;

/**
 * The command that makes a call with the flags of a command line and `more` flags, in lines that can
 * be pasted together. Empty if the arguments are long: nobody wants to paste them.
 */
export function repeatCommand(
  { name, arguments: input }: ToolCall,
  { line, more, page }: { line: CommandLine; more: readonly string[]; page: TextLayout },
): string[] {
  if (JSON.stringify(input).length > MAX_REPEATED) return [];
  const isAll = more.includes("--allow-all");
  const flags = [...line.flags, ...(isAll ? ["--allow-all"] : new Set(more))];
  const width = page.width === undefined ? undefined : Math.min(page.width, MAX_WIDTH);
  return commandLines(name, { flags, input }, width).map((each) => page.paint(each, "cyan"));
}
