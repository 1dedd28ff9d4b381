import { quote } from "../quote.ts";
import { failureOf, failureResult } from "../engine/failure.ts";
import type { RegistryEntry } from "../registry/registry.ts";
import { callCommand } from "./call.ts";
import { type CommandLine, parseCommandLine } from "./parse.ts";
import { type Sink, type Source, writeAll } from "./streams.ts";
import { UsageError } from "./usage_error.ts";

/** What the program gets from the process it runs in. */
export interface Process {
  /** The command line, without the program's name. */
  args: readonly string[];
  /** Where a call is read from. */
  stdin: Source;
  /** Where the result goes, and nothing else. */
  stdout: Sink;
  /** Where everything else goes. */
  stderr: Sink;
  /** The tools. */
  entries: readonly RegistryEntry[];
  /** The folder of the program's own files, with a final slash. */
  programFolder: URL;
  /** The module that a Worker starts with. */
  workerModule: URL;
  /** Whether the program runs from its bundle, all of which is in `programFolder`. */
  isBundled: boolean;
}

/** A command: prints what it has to say and returns the exit code. */
export type Command = (
  line: CommandLine,
  operands: readonly string[],
  process: Process,
) => Promise<number>;

/** The commands by name; all but the usual one are loaded when they are called. */
const commands = new Map<string, () => Promise<Command>>([
  ["call", () => Promise.resolve(callCommand)],
  ["check", async () => (await import("./check.ts")).checkCommand],
  ["list", async () => (await import("./list.ts")).listCommand],
  ["describe", async () => (await import("./describe.ts")).describeCommand],
]);

/** Runs one command line and returns the exit code. Never throws. */
export async function main(process: Process): Promise<number> {
  try {
    return await dispatch(process);
  } catch (error) {
    if (error instanceof UsageError) {
      await writeAll(process.stderr, `toolcall: ${error.message}\n`);
      return 2;
    }
    await writeAll(
      process.stdout,
      `${JSON.stringify(failureResult(failureOf(error)))}\n`,
    );
    return 70;
  }
}

async function dispatch(process: Process): Promise<number> {
  const line = await parseCommandLine(process.args);
  const [first] = line.positionals;
  const named = first !== undefined && commands.has(first);
  if (line.options.has("version")) {
    await writeAll(
      process.stdout,
      `toolcall ${(await import("../version.ts")).version}\n`,
    );
    return 0;
  }
  if (line.options.has("help")) {
    const { helpText } = await import("./help.ts");
    await writeAll(process.stdout, helpText(named ? first : undefined));
    return 0;
  }
  if (first === undefined && process.stdin.isTerminal()) {
    throw new UsageError(
      'No call was given on stdin or as arguments; see "toolcall --help"',
    );
  }
  const command = await commands.get(named ? first : "call")!();
  return await command(
    line,
    named ? line.positionals.slice(1) : line.positionals,
    process,
  );
}

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
