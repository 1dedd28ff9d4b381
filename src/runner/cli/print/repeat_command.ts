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
  const flags = [...line.flags, ...pastableFlags(more)];
  const width = page.width === undefined ? undefined : Math.min(page.width, MAX_WIDTH);
  return commandLines(name, { flags, input }, width).map((each) => page.paint(each, "cyan"));
}

/**
 * The flags of decisions, with the values of one kind in one flag. The flag that allows everything
 * makes the others needless.
 */
export function pastableFlags(flags: readonly string[]): string[] {
  if (flags.includes("--allow-all")) return ["--allow-all"];
  const values = new Map<string, string[]>();
  const others: string[] = [];
  for (const flag of new Set(flags)) {
    const at = flag.indexOf("=");
    // A comma at the start of a value would be parsed as part of the value before it.
    if (at < 0 || flag[at + 1] === ",") others.push(flag);
    else {values.set(flag.slice(0, at), [
        ...values.get(flag.slice(0, at)) ?? [],
        flag.slice(at + 1),
      ]);}
  }
  return [...[...values].map(([name, all]) => `${name}=${all.join(",")}`), ...others];
}
