import { QuickCalls } from "../../call/quick_calls.ts";
import { STOP_SIGNALS } from "../../call/cancel.ts";
import { hearByCall, type Print, printToStderr } from "../../sandbox/executors/prints.ts";
import { LineThreads } from "../../submit/line_thread.ts";
import { localRunner } from "../../submit/local_runner.ts";
import { ProgressBar } from "../../submit/progress_bar.ts";
import { lineFormats } from "../../submit/result_line.ts";
import { Submission } from "../../submit/submission.ts";
import { type Command, type CommandLine, type Process, readFormat } from "../command.ts";
import { refuseOperands } from "../operands.ts";
import { countOf } from "../flag_numbers.ts";
import { longLivedOptions } from "../long_lived.ts";
import { bashReading } from "../read_typed_request.ts";
import { readingOf } from "../read_request.ts";
import { isVerbose, writeAll } from "../streams.ts";

/** The most calls at the same time that can be asked for. */
const MAX_JOBS = 1_000;

/** The most calls at the same time that are sent to workers, if no flag says it. */
const REMOTE_JOBS = 256;

/** Printed on stderr when stdin is a terminal. */
const ON_TERMINAL = "toolcall: enter one JSON call per line; Ctrl-D ends the input\n";

/** The exit codes: some call failed, and a signal came. */
const [FAILED, INTERRUPTED] = [1, 7];

/**
 * `toolcall submit`: executes the call in each line of stdin, several at the same time, and prints a
 * line for each result.
 */
export const submitCommand: Command = async (line, operands, process) => {
  refuseOperands(operands, 0, line);
  const format = readFormat(line, lineFormats);
  if (line.options.has("attach") || line.options.has("cancel")) {
    return await (await import("../remote_calls.ts")).runBatch(line, process, format);
  }
  const isRemote = line.options.has("nats");
  const jobs = countOf(line, "jobs", { most: MAX_JOBS }) ??
    (isRemote ? REMOTE_JOBS : navigator.hardwareConcurrency);
  const given = longLivedOptions(line, await process.callOptions(line));
  const options = isVerbose(line)
    ? (await import("../verbose.ts")).withVerbose(given, process)
    : given;
  options.servers.stay();
  let bar: ProgressBar | undefined;
  const onPrint = (print: Print) => {
    bar?.clear();
    printToStderr(print);
  };
  const isShown = hasBar(line, process);
  const progress = isShown ? { onProgress: (text: string) => bar?.report(text) } : {};
  const remote = isRemote
    ? await (await import("../remote_calls.ts")).openRemote(line, options, progress)
    : await rejectNatsFlags(line);
  if (remote?.warning !== undefined) {
    await writeAll(process.stderr, `toolcall: ${remote.warning}\n`);
  }
  const file = line.options.get("report");
  const report = isShown || file !== undefined ? await import("../submit_report.ts") : undefined;
  const path = file === undefined ? undefined : report!.reportFile(file);
  const figures = report &&
    new (await import("../../submit/submission_figures.ts")).SubmissionFigures();
  const started = new Date();
  const atOnce = Math.min(jobs, navigator.hardwareConcurrency);
  const quickCalls = new QuickCalls(options, atOnce);
  const threads = new LineThreads(format === "mcp" ? atOnce - 1 : 0, quickCalls);
  const reading = { ...readingOf(line), bash: bashReading(line, options.registry) };
  const submission = new Submission(process.stdout, {
    ...{ jobs, format, reading, isOrdered: line.options.has("ordered"), figures },
    runner: remote?.runner ??
      localRunner(options, {
        ...{ quickCalls, threads, isolatePrints: await hearByCall(), onPrint, ...progress },
      }),
  });
  const interruption = options.listeners.cancelSignal();
  interruption.addEventListener("abort", () => submission.stop());
  const second = secondSignal();
  if (process.stdin.isTerminal()) await writeAll(process.stderr, ON_TERMINAL);
  else if (isShown) bar = new ProgressBar(process.stderr, submission.tally, inputBytes());
  try {
    await Promise.race([submission.run(process.stdin), second]);
  } finally {
    await bar?.end();
    await remote?.close();
    threads.close();
    quickCalls.close();
    options.pool.close();
    await Promise.race([options.servers.closeAll(), second]);
  }
  const isInterrupted = interruption.aborted;
  if (path !== undefined) report!.writeReport(path, figures!, { started, jobs, isInterrupted });
  if (bar !== undefined) {
    await writeAll(process.stderr, report!.figuresTable(figures!, process.stderr));
  }
  if (isInterrupted) return INTERRUPTED;
  return submission.tally.failed > 0 ? FAILED : 0;
};

/** Resolves when a second signal comes, which ends the program at once. */
function secondSignal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let count = 0;
  for (const name of STOP_SIGNALS) {
    Deno.addSignalListener(name, () => ++count > 1 && resolve());
  }
  return promise;
}

/**
 * Whether the progress is shown: stderr must be a terminal. If stdout is one too, the results
 * themselves show it, and a bar would be drawn into them.
 */
function hasBar({ options }: CommandLine, { stdin, stdout, stderr }: Process): boolean {
  return !options.has("quiet") && stderr.isTerminal() && !stdout.isTerminal() &&
    !stdin.isTerminal();
}

/** The size of stdin in bytes if it is a file, else undefined. */
function inputBytes(): number | undefined {
  try {
    const { isFile, size } = Deno.statSync("/dev/stdin");
    return isFile ? size : undefined;
  } catch {
    return undefined;
  }
}

/** Throws a UsageError for a flag that needs `--nats`. */
async function rejectNatsFlags(line: CommandLine): Promise<undefined> {
  (await import("../remote_flags.ts")).refuseNatsFlags(line);
}
