import { UsageError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { CallOptions } from "../call/call.ts";
import type { Program } from "../program.ts";
import type { ToolList } from "../registry/tool_list.ts";
import type { Grants } from "../sandbox/policy/grants.ts";
import type { Sink, Source } from "./streams.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";

/** How a command reads its options for calls. */
export interface CallOptionsReading {
  /** Whether it reads the configuration, which is the default. */
  isConfigured?: boolean;
  /** Whether it executes one call. The files of an unchanged tools directory are not looked at then. */
  isOneCall?: boolean;
  /** Whether the configuration files may have been made since this process began. */
  looksAgain?: boolean;
}

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
  /** Exports the calls as traces and metrics, if the environment says so. */
  telemetry?: Telemetry;
  /**
   * Reads how to execute calls from a command line; see `call_options.ts`. Commands have it from here,
   * so that none of them loads that code a second time.
   */
  callOptions(line: CommandLine, how?: CallOptionsReading): Promise<CallOptions>;
}

/** A command. It prints its result and returns the exit code. */
export type Command = (
  line: CommandLine,
  operands: readonly string[],
  process: Process,
) => Promise<number>;

/** A parsed command line. */
export interface CommandLine {
  /** The arguments that are not flags, in order. */
  positionals: string[];
  /**
   * The flags right before a positional that could have had a value and have none, by the index of
   * the positional.
   */
  bareFlags: ReadonlyMap<number, string>;
  /** The flags as they were given, without those that concern only this process. */
  flags: string[];
  /** The permission flags, with paths as they were given. */
  grants: Grants;
  /** The other flags by name. The value is `""` for a flag without a value. */
  options: ReadonlyMap<string, string>;
}

/** The `--format`, by default the first of `known`. Throws {@link UsageError} for any other. */
export function readFormat<T extends string>({ options }: CommandLine, known: readonly T[]): T {
  return knownFormat(options.get("format") ?? known[0]!, known);
}

/** The format of that name. `variable` named it, if a flag did not. Throws {@link UsageError}. */
export function knownFormat<T extends string>(
  given: string,
  known: readonly T[],
  variable?: string,
): T {
  const format = known.find((each) => each === given);
  if (format !== undefined) return format;
  const place = variable === undefined ? "" : ` in the variable ${variable}`;
  const all = `${known.slice(0, -1).join(", ")} and ${known.at(-1)}`;
  throw new UsageError(`Unknown format ${quote(given)}${place}; available: ${all}`);
}
