import { KeptOutput } from "../src/toolkit/process/kept_output.ts";
import { programsInCommand } from "../src/toolkit/process/programs_in_command.ts";
import { runToEnd } from "../src/toolkit/process/run_to_end.ts";
import { withDataIfWanted } from "../src/base/content.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import { interruptionOf } from "../src/base/async/interruption.ts";

/** The time limits of a command, in milliseconds. */
const FOREGROUND = { usual: 120_000, max: 600_000 };
const BACKGROUND = { usual: 1_800_000, max: 7_200_000 };

export default defineTool({
  name: "Bash",
  aliases: ["bash"],
  title: "Run a shell command",
  description:
    "Runs a command with bash in the working directory. Returns stdout and stderr in the order they were printed. There is no input. Output over 30,000 characters is truncated in the middle; the full text is saved to a file. A non-zero exit code is an error. Background processes are killed when the command ends; use run_in_background to keep them.",
  category: "build",
  sideEffect: "spawns",
  optionality: "optional",
  usageHint: "To build, test, or use a program for which there is no tool",
  background: true,
  requires: ["bash"],
  inputSchema: {
    type: "object",
    properties: {
      command: { type: "string", description: "The command, in bash syntax.", minLength: 1 },
      timeout: {
        type: "integer",
        description:
          "Time limit in milliseconds. Default 120,000, maximum 600,000. In the background: default 1,800,000, maximum 7,200,000.",
        minimum: 1,
        maximum: BACKGROUND.max,
      },
      description: { type: "string", description: "The purpose of the command, for the user." },
      run_in_background: {
        type: "boolean",
        description:
          "Returns a task_id for TaskOutput and TaskStop immediately. The time limit applies.",
        default: false,
      },
      dangerouslyDisableSandbox: {
        type: "boolean",
        description: "Ignored if false. The flags of toolcall decide about the sandbox.",
        default: false,
      },
      _simulatedSedEdit: {
        type: "object",
        description: "Ignored: an edit that a client computed. The command runs instead.",
      },
    },
    required: ["command"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "Count lines",
      input: { command: "wc -l < hello.txt" },
      expect: "2",
      flags: ["--allow-run=bash,wc", "--allow-read=."],
    },
    {
      description: "See why a program fails",
      input: { command: "echo to stderr >&2; exit 3" },
      expect: "to stderr\nExit code 3",
      isError: true,
    },
  ],
  ignores: ["_simulatedSedEdit"],
  permissions: {
    kinds: ["run"],
    needs({ timeout = 0, run_in_background }) {
      if (!run_in_background && timeout > FOREGROUND.max) {
        throw new Error(
          `Invalid arguments for "Bash": /timeout: must be at most ${FOREGROUND.max}, got ` +
            `${timeout}; with run_in_background it may be up to ${BACKGROUND.max}`,
        );
      }
      return [{ name: "run", command: "bash" }];
    },
    likely: ({ command }) => programsInCommand(command),
  },
  timeoutMs: ({ timeout, run_in_background }) =>
    timeout ?? (run_in_background ? BACKGROUND : FOREGROUND).usual,
  async run(args, ctx) {
    if (args.dangerouslyDisableSandbox && ctx.isSandboxed) {
      throw new Deno.errors.NotCapable(
        "Permission denied: a call cannot disable the sandbox; needs --unconfined-run",
      );
    }
    const program = ctx.spawn("bash", ["-c", args.command], { mergesOutput: true });
    const output = new KeptOutput(30_000, () => program.openOutput(), { atOnce: ctx.background });
    const { code, signal, interrupted } = await runToEnd(program, {
      signal: ctx.signal,
      follow: ctx.followOutput,
      stdout(chunk) {
        output.add(chunk);
        ctx.onOutput?.(chunk);
      },
    });
    output.close();
    const text = output.text();
    const details = { ...(output.path && { outputFile: output.path }) };
    if (interrupted) {
      const why = interruptionOf(ctx.signal) === "timeout"
        ? ctx.signal.reason.message
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
    return withDataIfWanted(ctx, text || "The command printed nothing", () => ({
      ...{ stdout: text, stderr: "", interrupted: false },
      ...(output.path && {
        persistedOutputPath: output.path,
        persistedOutputSize: output.size,
      }),
    }));
  },
});

function withLine(text: string, line: string): string {
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${line}`;
}
