import { CallError, UsageError } from "../../base/errors.ts";
import { exitCodes, failureOf, failureResult } from "../call/failure.ts";
import { ownVariable, restoreHome, wantsTelemetry } from "../own_environment.ts";
import type { Program } from "../program.ts";
import { redirectPrints } from "../sandbox/executors/prints.ts";
import { readCallOptions } from "./call_options.ts";
import { callCommand, failCall } from "./commands/call.ts";
import type { Command, Process } from "./command.ts";
import { parseCommandLine } from "./parse_command_line.ts";
import { CALL_COMMANDS, LONG_LIVED_COMMANDS } from "./flag.ts";
import { flags } from "./flags.ts";
import { diagnosticsTo, writeAll } from "./streams.ts";
import { escapeControls } from "../../base/text/escape_controls.ts";

/** The commands by name. All except `call` are loaded only when they run. */
const commands = new Map<string, () => Promise<Command>>([
  ["call", () => Promise.resolve(callCommand)],
  ["check", async () => (await import("./commands/check.ts")).checkCommand],
  ["submit", async () => (await import("./commands/submit.ts")).submitCommand],
  ["worker", async () => (await import("./commands/worker.ts")).workerCommand],
  ["list", async () => (await import("./commands/list.ts")).listCommand],
  ["grammar", async () => (await import("./commands/grammar.ts")).grammarCommand],
  ["run-task", async () => (await import("./commands/run_task.ts")).runTaskCommand],
  ["run-programs", async () => (await import("./commands/run_programs.ts")).runProgramsCommand],
  ["run-shell", async () => (await import("./commands/run_shell.ts")).runShellCommand],
  ["keep-server", async () => (await import("./commands/keep_server.ts")).keepServerCommand],
  [
    "restore-patches",
    async () => (await import("./commands/restore_patches.ts")).restorePatchesCommand,
  ],
  ["tasks", async () => (await import("./commands/tasks.ts")).tasksCommand],
  ["audit", async () => (await import("./commands/audit.ts")).auditCommand],
  ["bundles", async () => (await import("./commands/bundles.ts")).bundlesCommand],
  ["cache", async () => (await import("./commands/cache.ts")).cacheCommand],
  ["doctor", async () => (await import("./commands/doctor.ts")).doctorCommand],
  ["mcp", async () => (await import("./commands/mcp.ts")).mcpCommand],
  ["ui", async () => (await import("./commands/ui.ts")).uiCommand],
  ["config", async () => (await import("./commands/config.ts")).configCommand],
  ["describe", async () => (await import("./commands/describe.ts")).describeCommand],
  ["completions", async () => (await import("./commands/completions.ts")).completionsCommand],
  ["add", async () => (await import("./commands/add.ts")).addCommand],
  ["new", async () => (await import("./commands/new.ts")).newCommand],
  ["try", async () => (await import("./commands/try.ts")).tryCommand],
  ["help", async () => (await import("./commands/help.ts")).helpCommand],
  ["version", async () => (await import("./commands/help.ts")).versionCommand],
]);

/**
 * The most bytes of the log of the runtime's code cache. Each start reads the log whole, which takes
 * half a millisecond for each MiB. The head of the executable has the same limit.
 */
const MAX_LOG_BYTES = 512 * 1024;

/** Runs one command line and returns the exit code. Never throws. */
export async function main(given: Omit<Process, "callOptions">): Promise<number> {
  const telemetry = wantsTelemetry()
    ? (await import("../telemetry/telemetry.ts")).openTelemetry(given.program, given.stderr)
    : undefined;
  // From here on only `process.stdout` reaches stdout. Prints of tools go to stderr.
  const stdout = redirectPrints(given.stdout);
  const stderr = diagnosticsTo(given.stderr);
  const process: Process = {
    ...{ ...given, stdout, stderr, ...(telemetry && { telemetry }) },
    callOptions: (line, how) => readCallOptions(line, process, how),
  };
  restoreHome();
  try {
    await tidyCodeCache(process.program);
    return await dispatch(process);
  } catch (error) {
    if (error instanceof UsageError) {
      // The message can hold a name from a configuration file, with control characters.
      await writeAll(process.stderr, `toolcall: ${escapeControls(error.message)}\n`);
      return 2;
    }
    return await giveUp(error, process);
  } finally {
    await telemetry?.end();
  }
}

/** Empties the log of the runtime's code cache if it is long. */
async function tidyCodeCache({ directory }: Program): Promise<void> {
  // The first look at a file costs a call 0.2 ms. The head of the executable may have looked.
  if (ownVariable("shortLog") === String(Deno.pid) || ownVariable("executable") === undefined) {
    return;
  }
  const state = `${directory}/state`;
  try {
    if (Deno.statSync(`${state}/v8_code_cache_v2-wal`).size <= MAX_LOG_BYTES) return;
  } catch {
    return;
  }
  (await import("./checkpoint_code_cache.ts")).checkpointCodeCache(state);
}

/** Reports an unexpected failure. It uses stderr if stdout is broken too. */
async function giveUp(error: unknown, process: Process): Promise<number> {
  const failure = failureOf(error);
  try {
    await writeAll(process.stdout, `${JSON.stringify(failureResult(failure))}\n`);
  } catch {
    await writeAll(process.stderr, `toolcall: ${failure.message}\n`).catch(() => {});
  }
  return exitCodes[failure.code];
}

async function dispatch(process: Process): Promise<number> {
  const line = await parseCommandLine(process.args);
  const [first] = line.positionals;
  const named = first !== undefined && commands.has(first);
  if (line.options.has("version")) {
    return await (await import("./commands/help.ts")).versionCommand(line, [], process);
  }
  const isAlone = first === undefined && process.stdin.isTerminal();
  if (line.options.has("help") || isAlone) {
    return await (await import("./commands/help.ts")).helpCommand(line, line.positionals, process);
  }
  const name = named ? first : "call";
  for (const given of line.options.keys()) {
    if (flags.find((flag) => flag.name === given)?.commands?.includes(name) ?? true) continue;
    throw new UsageError(
      `The flag --${given} cannot be combined with "${name}"; see "toolcall help ${name}"`,
    );
  }
  const operands = named ? line.positionals.slice(1) : line.positionals;
  try {
    const command = await commands.get(name)!();
    if (!line.options.has("permission-set")) return await command(line, operands, process);
    const { withPermissionSet } = await import("./permission_set.ts");
    return await command(await withPermissionSet(line), operands, process);
  } catch (error) {
    // The options cannot be read. The failure of a call is still printed in its dialect.
    if (!(error instanceof CallError)) throw error;
    if (name === "call") return await failCall(error, { line, operands, process });
    if (CALL_COMMANDS.includes(name) && !LONG_LIVED_COMMANDS.includes(name)) throw error;
    await writeAll(process.stderr, `toolcall: ${escapeControls(error.message)}\n`);
    return exitCodes[error.code];
  }
}
