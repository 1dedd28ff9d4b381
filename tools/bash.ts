import { KeptOutput } from "../src/files/kept_output.ts";
import { defineTool } from "../src/registry/define.ts";
import type { RunningProgram } from "../src/registry/tool_context.ts";

/** How long pipes may stay open after the command's own end, in milliseconds. */
const DRAIN_MS = 1_400;

export default defineTool({
  name: "Bash",
  title: "Run a shell command",
  description: "Runs a command with bash in the working folder and returns what it printed, " +
    "stdout and stderr in the order they came. Nothing can be typed into it. Of more than 30,000 " +
    "characters the head and the tail are returned and the whole is kept in a file. A non-zero " +
    "exit code is an error. What it leaves in the background is ended with it, so what is to go on " +
    "is started with run_in_background.",
  category: "build",
  sideEffect: "spawns",
  optionality: "optional",
  usageHint: "To build, test, or use a program for which there is no tool",
  background: true,
  requires: ["bash"],
  inputSchema: {
    type: "object",
    properties: {
      command: { type: "string", description: "The command, in bash's language", minLength: 1 },
      timeout: {
        type: "integer",
        description: "The time limit in milliseconds",
        minimum: 1,
        maximum: 600_000,
        default: 120_000,
      },
      description: { type: "string", description: "What the command does, for people" },
      run_in_background: {
        type: "boolean",
        description:
          "Answer at once with a task_id, for TaskOutput and TaskStop; the time limit holds",
        default: false,
      },
    },
    required: ["command"],
    additionalProperties: false,
  },
  examples: [
    { description: "Count lines", input: { command: "wc -l < hello.txt" }, expect: "2" },
    {
      description: "See why a program fails",
      input: { command: "echo to stderr >&2; exit 3" },
      expect: "to stderr\nExit code 3",
      isError: true,
    },
  ],
  permissions: { kinds: ["run"], needs: () => [{ name: "run", command: "bash" }] },
  timeoutMs: (args) => args.timeout,
  async run(args, ctx) {
    // The outer shell makes stderr the same pipe as stdout, so that their order is kept.
    const program = ctx.spawn("bash", ["-c", 'exec "$BASH" -c "$1" 2>&1', "bash", args.command]);
    const output = new KeptOutput(30_000, () => program.openOutput(), { atOnce: ctx.background });
    const drained = drain(program, output);
    const interrupted = await Promise.race([
      program.status.then(() => false),
      aborted(ctx.signal),
    ]);
    if (interrupted) await program.end();
    const [{ code, signal }] = await Promise.all([program.status, letGo(program, drained)]);
    output.close();
    const text = output.text();
    const details = { ...(output.path && { outputFile: output.path }) };
    if (interrupted) {
      const why = ctx.signal.reason.name === "TimeoutError"
        ? `The time limit of ${args.timeout} ms passed`
        : "The call was cancelled";
      throw new Error(withLine(text, `${why}; the output is what there was by then`), {
        cause: details,
      });
    }
    if (signal !== null) {
      throw new Error(withLine(text, `Ended by ${signal}`), { cause: { ...details, signal } });
    }
    if (code !== 0) {
      throw new Error(withLine(text, `Exit code ${code}`), {
        cause: { ...details, exitCode: code },
      });
    }
    return text || "The command printed nothing";
  },
});

/** Collects the output; ends when every holder of the pipe has let go, or the pipe is cancelled. */
function drain(program: RunningProgram, output: KeptOutput) {
  const reader = program.stdout.getReader();
  const done = (async () => {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      output.add(value);
    }
  })();
  return { done, cancel: () => reader.cancel() };
}

/** Waits for the end of the output, not for long after the command's own, and ends what is left. */
async function letGo(
  program: RunningProgram,
  drained: { done: Promise<void>; cancel(): Promise<void> },
): Promise<void> {
  await program.status;
  await Promise.race([drained.done, aborted(AbortSignal.timeout(DRAIN_MS))]);
  await program.end();
  await drained.cancel();
  await drained.done;
}

function aborted(signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(true);
    signal.addEventListener("abort", () => resolve(true), { once: true });
  });
}

function withLine(text: string, line: string): string {
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${line}`;
}
