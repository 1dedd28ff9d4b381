import type { StructuredOutput, ToolOutput } from "../../base/content.ts";
import { interruptionOf } from "../../base/async/interruption.ts";
import { isObject } from "../../base/json/is_object.ts";
import { quote } from "../../base/text/quote.ts";
import type { CommandRun } from "../../runner/registry/command_run.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { KeptOutput } from "./kept_output.ts";
import { runToEnd } from "./run_to_end.ts";

/** The most characters of a program's text output that a result has. */
const MAX_TEXT = 30_000;
/** The most characters of output in the form of JSON or lines. */
const MAX_DATA = 1_000_000;
/** The most characters of stderr in a result. */
const MAX_MESSAGES = 10_000;

/**
 * Runs the program of a command tool to its end. Throws if it ends with another exit code than
 * expected or by a signal, if the call is interrupted, or if its output is not in the declared form.
 */
export async function runCommand(run: CommandRun, ctx: ToolContext): Promise<ToolOutput> {
  const { stdin, env, output: form } = run;
  const program = ctx.spawn(run.program, run.args, { env, ...(stdin !== undefined && { stdin }) });
  let isOpened = false;
  const output = new KeptOutput(form === "text" ? MAX_TEXT : MAX_DATA, () => {
    isOpened = true;
    return program.openOutput();
  }, { atOnce: ctx.background });
  // Messages have no file: only one output of a call is kept whole.
  const messages = new KeptOutput(MAX_MESSAGES, () => {
    throw new Error("only stdout is kept");
  });
  const { code, signal, interrupted } = await runToEnd(program, {
    signal: ctx.signal,
    follow: ctx.followOutput,
    stdout(chunk) {
      output.add(chunk);
      ctx.onOutput?.(chunk);
    },
    stderr: (chunk) => messages.add(chunk),
  });
  output.close();
  messages.close();
  const details = isOpened && output.path !== undefined ? { outputFile: output.path } : {};
  const fail = (why: string, cause: Record<string, unknown>): never => {
    const texts = [output.text(), messages.text()].map((text) => text.trimEnd());
    throw new Error([...texts, why].filter((text) => text !== "").join("\n"), {
      cause: { ...details, ...cause },
    });
  };
  if (interrupted) {
    const why = interruptionOf(ctx.signal) === "timeout"
      ? ctx.signal.reason.message
      : "The call was cancelled";
    fail(`${why}; the output is what there was by then`, {});
  }
  if (signal !== null) fail(`Ended by ${signal}`, { signal });
  if (!run.exitCodes.includes(code)) fail(`Exit code ${code}`, { exitCode: code });
  const text = output.text();
  if (form === "text") return text || messages.text() || "The command printed nothing";
  if (output.isCut) fail(`The output is longer than ${MAX_DATA} characters`, {});
  return form === "lines" ? linesOf(text) : jsonOf(text, run.program);
}

/** The lines of an output as text and as data. */
function linesOf(text: string): StructuredOutput {
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  if (lines.at(-1) === "") lines.pop();
  return { content: text || "No lines", structuredContent: { lines } };
}

/** JSON output as text and as data. A value that is no object becomes `result`. */
function jsonOf(text: string, program: string): StructuredOutput {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(
      `Cannot use the output of ${quote(program)} as JSON: ${(error as Error).message}; ` +
        `it begins with ${quote(text.trimStart(), 200)}`,
    );
  }
  const structuredContent = isObject(value) ? value : { result: value };
  return { content: text.trimEnd(), structuredContent };
}
