import { quote } from "../../base/text/quote.ts";
import type { Program } from "../program.ts";
import type { ToolList } from "../registry/tool_list.ts";
import type { CommandLine } from "./parse.ts";
import type { Sink, Source } from "./streams.ts";
import { UsageError } from "../../base/errors.ts";

/** The process that the program runs in. */
export interface Process {
  /** The command line, without the program's name. */
  args: readonly string[];
  /** The input with the call. */
  stdin: Source;
  /** The output for the result only. Results for people are formatted if it is a terminal. */
  stdout: Sink & Pick<Source, "isTerminal">;
  /** The output for everything else. A person reads it if it is a terminal. */
  stderr: Sink & Pick<Source, "isTerminal">;
  /** The tools. */
  entries: ToolList;
  /** This program. */
  program: Program;
}

/** A command. It prints its result and returns the exit code. */
export type Command = (
  line: CommandLine,
  operands: readonly string[],
  process: Process,
) => Promise<number>;

/** Throws {@link UsageError} if there are more operands than the command takes. */
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

/** The `--format`, by default the first of `known`. Throws {@link UsageError} for any other. */
export function readFormat<T extends string>({ options }: CommandLine, known: readonly T[]): T {
  const given = options.get("format") ?? known[0]!;
  const format = known.find((each) => each === given);
  if (format !== undefined) return format;
  const all = `${known.slice(0, -1).join(", ")} and ${known.at(-1)}`;
  throw new UsageError(`Unknown format ${quote(given)}; known are ${all}`);
}
