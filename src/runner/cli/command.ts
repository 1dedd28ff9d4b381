import { quote } from "../../base/text/quote.ts";
import type { Program } from "../program.ts";
import type { ToolList } from "../registry/tool_list.ts";
import type { CommandLine } from "./parse.ts";
import type { Sink, Source } from "./streams.ts";
import { UsageError } from "../../base/errors.ts";

/** What the program gets from the process it runs in. */
export interface Process {
  /** The command line, without the program's name. */
  args: readonly string[];
  /** Where a call is read from. */
  stdin: Source;
  /** Where the result goes, and nothing else; what is for people is laid out for a terminal. */
  stdout: Sink & Pick<Source, "isTerminal">;
  /** Where everything else goes, to a person if it is a terminal. */
  stderr: Sink & Pick<Source, "isTerminal">;
  /** The tools. */
  entries: ToolList;
  /** This program. */
  program: Program;
}

/** A command: prints what it has to say and returns the exit code. */
export type Command = (
  line: CommandLine,
  operands: readonly string[],
  process: Process,
) => Promise<number>;

/** Throws {@link UsageError} when there are more operands than a command takes. */
export function refuseOperands(
  operands: readonly string[],
  most: number,
): void {
  const extra = operands[most];
  if (extra === undefined) return;
  throw new UsageError(
    `Unexpected argument ${quote(extra, 80)}; see "toolcall --help"`,
  );
}

/** What is wrong with a `--format` that a command does not know. */
export function unknownFormat(format: string, known: readonly string[]): UsageError {
  const all = `${known.slice(0, -1).join(", ")} and ${known.at(-1)}`;
  return new UsageError(`Unknown format ${quote(format)}; known are ${all}`);
}
