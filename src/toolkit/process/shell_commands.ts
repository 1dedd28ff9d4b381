import { interruptionOf } from "../../base/async/interruption.ts";
import { LOADING_VARIABLES } from "../../base/loading_variables.ts";
import { type ShellOutput, shellText } from "../../base/shell_output.ts";
import { quote } from "../../base/text/quote.ts";
import type { StructuredOutput } from "../../base/content.ts";
import type { RunningProgram, ToolContext } from "../../runner/registry/tool_context.ts";
import { type ExitStatus, runToEnd } from "./run_to_end.ts";
import { ShellStreams } from "./shell_streams.ts";

/**
 * Runs each command in a shell of its own, and prints a mark and its exit code on both streams. One
 * program runs all commands, because the sandbox ends with the last program of a call. Its own
 * messages, such as that a command was killed, go nowhere.
 */
const RUN_EACH = `mark=$1
shift
exec 3>&2 2>&-
for command do
  "$BASH" -c "$command" 2>&3 3>&-
  code=$?
  printf '\\n%s %d\\n' "$mark" "$code"
  printf '\\n%s %d\\n' "$mark" "$code" >&3
done`;

/**
 * Runs commands one after the other in the working directory, each in a new shell. A command that
 * fails does not stop the next one. `maxLength` is the most characters of a command's stdout and
 * stderr together. Throws if the call is cancelled.
 */
export async function runShellCommands(
  commands: readonly string[],
  { maxLength }: { maxLength: number | undefined },
  ctx: ToolContext,
): Promise<StructuredOutput> {
  // A program that the commands start cannot guess the mark, so its output cannot pretend to end.
  const mark = crypto.randomUUID();
  const program = ctx.spawn("bash", ["-c", RUN_EACH, "bash", mark, ...commands]);
  const streams = new ShellStreams(`\n${mark} `, maxLength);
  const status = await follow(program, streams, ctx);
  const ended = streams.codes.length;
  const output = commands.map((_, index): ShellOutput => {
    if (index < ended) {
      return streams.outputOf(index, { type: "exit", exit_code: streams.codes[index]! });
    }
    const outcome = status.interrupted
      ? { type: "timeout" as const }
      : { type: "exit" as const, exit_code: status.code || 1 };
    const given = streams.outputOf(index, outcome);
    if (index === ended) return given;
    const why = status.interrupted ? "the time limit passed" : "the shell of the call ended";
    return { ...given, stderr: `Not run: ${why} before this command` };
  });
  return resultOf(output);
}

/**
 * Runs a program with arguments. `env` are additional variables, and `cwd` is the real path of its
 * working directory. Throws if the call is cancelled.
 */
export async function runProgram(
  [program, ...args]: readonly string[],
  { env, cwd }: { env: Readonly<Record<string, string>>; cwd: string | undefined },
  ctx: ToolContext,
): Promise<StructuredOutput> {
  const loading = Object.keys(env).find((name) => LOADING_VARIABLES.test(name));
  if (loading !== undefined) {
    throw new Error(
      `Cannot set ${quote(loading, 80)} for a program: the variable could choose code that the ` +
        "program loads; set it in the command itself",
    );
  }
  const running = ctx.spawn(program!, args, { env, ...(cwd !== undefined && { cwd }) });
  const streams = new ShellStreams(`\n${crypto.randomUUID()} `);
  const { interrupted, code } = await follow(running, streams, ctx);
  const outcome = interrupted
    ? { type: "timeout" as const }
    : { type: "exit" as const, exit_code: code };
  return resultOf([streams.outputOf(0, outcome)]);
}

/** Reads the program's output to its end, or to the end of the time limit. */
async function follow(
  program: RunningProgram,
  streams: ShellStreams,
  ctx: ToolContext,
): Promise<ExitStatus> {
  const status = await runToEnd(program, {
    signal: ctx.signal,
    follow: ctx.followOutput,
    stdout(chunk) {
      streams.addOutput(chunk);
      ctx.onOutput?.(chunk);
    },
    stderr: (chunk) => streams.addErrors(chunk),
  });
  streams.close();
  if (status.interrupted && interruptionOf(ctx.signal) === "cancelled") {
    throw new Error("The call was cancelled, and its commands were ended");
  }
  return status;
}

function resultOf(output: readonly ShellOutput[]): StructuredOutput {
  return { content: shellText(output), structuredContent: { output } };
}
