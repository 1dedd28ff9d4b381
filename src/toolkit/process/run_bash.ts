import { withDataIfWanted } from "../../base/content.ts";
import type { ToolOutput } from "../../base/content.ts";
import { interruptionOf } from "../../base/async/interruption.ts";
import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type {
  RunningProgram,
  ShellReport,
  ToolContext,
} from "../../runner/registry/tool_context.ts";
import { KeptOutput } from "./kept_output.ts";
import { runToEnd } from "./run_to_end.ts";

/** The most characters of output in a result. */
const MAX_TEXT = 30_000;

/** A command of bash: in a shell of its own, or in the one of a session. */
interface BashCommand {
  command: string;
  session?: string | undefined;
  restart?: boolean | undefined;
}

/** Runs a command to its end. Throws if it fails, is ended by a signal, or is interrupted. */
export async function runBash(
  { command, session, restart }: BashCommand,
  ctx: ToolContext,
): Promise<ToolOutput> {
  if (session === undefined) {
    return await resultOf(ctx.spawn("bash", ["-c", command], { mergesOutput: true }), ctx);
  }
  if (ctx.shell === undefined) {
    const why = "this program cannot keep a shell between calls";
    throw new CallError("unavailable", `Cannot use the session ${quote(session)}: ${why}; omit it`);
  }
  const shell = await ctx.shell(session);
  if (restart) await shell.restart();
  if (restart && command.trim() === "") return outputOf("The shell was restarted", ctx);
  const running = shell.start(command);
  return await resultOf(running, ctx, running.report);
}

async function resultOf(
  program: RunningProgram,
  ctx: ToolContext,
  shell?: Promise<ShellReport>,
): Promise<ToolOutput> {
  const form = { atOnce: ctx.background, isShown: true };
  const output = new KeptOutput(MAX_TEXT, () => program.openOutput(), form);
  const { code, signal, interrupted } = await runToEnd(program, {
    signal: ctx.signal,
    follow: ctx.followOutput,
    stdout(chunk) {
      output.add(chunk);
      ctx.onOutput?.(chunk);
    },
  });
  output.close();
  const report = await shell;
  const note = report?.note;
  const text = output.text();
  const fail = (why: string, cause: Record<string, unknown> = {}): never => {
    const lines = note === undefined ? why : `${why}\n[${note}]`;
    throw new Error(withLine(text, lines), {
      cause: {
        ...(output.path && { outputFile: output.path }),
        ...(report && { shell: report }),
        ...cause,
      },
    });
  };
  if (interrupted) {
    const why = interruptionOf(ctx.signal) === "timeout"
      ? ctx.signal.reason.message
      : "The call was cancelled";
    fail(`${why}; the output is what there was by then`);
  }
  if (signal !== null) fail(`Ended by ${signal}`, { signal });
  if (code !== 0) fail(`Exit code ${code}`, { exitCode: code });
  const said = text || "The command printed nothing";
  return outputOf(note === undefined ? said : withLine(said, `[${note}]`), ctx, { text, output });
}

function outputOf(
  said: string,
  ctx: ToolContext,
  { text, output }: { text: string; output?: KeptOutput } = { text: said },
): ToolOutput {
  return withDataIfWanted(ctx, said, () => ({
    ...{ stdout: text, stderr: "", interrupted: false },
    ...(output?.path && {
      persistedOutputPath: output.path,
      persistedOutputSize: output.size,
    }),
  }));
}

function withLine(text: string, line: string): string {
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${line}`;
}
