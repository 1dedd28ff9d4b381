import { readVariable } from "../../../base/environment.ts";
import { type CallError, UsageError } from "../../../base/errors.ts";
import { type Format, modelDialects, type Request } from "../../dialect/incoming.ts";
import { mcpRequest, render } from "../../dialect/request.ts";
import { executeCall, rejectCall } from "../../call/execute.ts";
import type { CallOptions, IncomingCall, ToolCall } from "../../call/call.ts";
import { type CallResult, exitCodeOf, failureResult } from "../../call/failure.ts";
import { readTypedRequest } from "../read_typed_request.ts";
import { isCallText, readRequest } from "../read_request.ts";
import { isVerbose, writeAll } from "../streams.ts";
import {
  type Command,
  type CommandLine,
  knownFormat,
  type Process,
  readFormat,
} from "../command.ts";
import { refuseOperands } from "../operands.ts";
import { workingDirectory } from "../../config/config_files.ts";
import { Registry } from "../../registry/registry.ts";

/** The formats of a result. */
const formats: readonly Format[] = ["mcp", "same", ...modelDialects, "text"];

/** The variable that pins the format of results. The flag `--format` overrides it. */
const FORMAT_VARIABLE = "TOOLCALL_FORMAT";
/** Its value, once it was read. */
let pinned: string | undefined;

/**
 * `toolcall [call] [NAME [JSON]]`, or `toolcall NAME [KEY=VALUE…]`: executes one call, or the calls
 * of one message. Prints the results as one line of JSON, or as text if a person reads them on a
 * terminal.
 */
export const callCommand: Command = async (line, operands, process) => {
  // Only the operands without the word "call" may be arguments as people type them.
  if (line.positionals[0] === "call") refuseOperands(operands, 2, line);
  const printer = await printerFor(line, process);
  if (line.options.has("wall")) return await runInSandboxLayer(line, process);
  let options = await process.callOptions(line, { isOneCall: true });
  try {
    return await executeAndPrint();
  } finally {
    await options.servers.closeAll();
  }

  async function executeAndPrint(): Promise<number> {
    let request: Request = mcpRequest(undefined);
    let calls: readonly IncomingCall[] = [];
    let results: readonly CallResult[];
    try {
      request = await readTypedRequest(operands, process, { line, options });
      const asked = await request.read();
      if (asked === "list") {
        await options.refreshTools?.();
        const { answerToolsList } = await import("../catalogue/answer_tools_list.ts");
        await answerToolsList(request, options, process);
        return 0;
      }
      calls = asked;
      if (line.options.has("prompt")) {
        options = await (await import("../prompt.ts")).promptForMissing(calls, options, {
          ...{ line, process },
        });
      }
      if (isVerbose(line)) {
        options = (await import("../verbose.ts")).withVerbose(options, process);
      }
      if (printer.follow !== undefined) options = printer.follow(calls, options);
      results = await executeCalls(calls, options, line);
    } catch (error) {
      if (error instanceof UsageError) throw error;
      results = [await rejectCall(error, options, called(operands))];
    }
    await printer.print(results, { request, calls, options, called: called(operands) });
    return results.map(exitCodeOf).find((code) => code !== 0) ?? 0;
  }
};

/** Prints the results of calls. */
interface ResultPrinter {
  /** Returns the options with which the calls report to the printer while they run. */
  follow?(calls: readonly IncomingCall[], options: CallOptions): CallOptions;
  /** Prints the results, one for each call. `called` is what is known of an unreadable call. */
  print(results: readonly CallResult[], asked: {
    request: Request;
    calls: readonly IncomingCall[];
    options: Pick<CallOptions, "registry" | "cwd">;
    called?: Partial<ToolCall>;
  }): Promise<void>;
}

/** Returns what prints the results: in the chosen format, by default as text on a terminal. */
async function printerFor(line: CommandLine, process: Process): Promise<ResultPrinter> {
  const { stdout } = process;
  const format = formatOf(line);
  if (format === undefined && stdout.isTerminal()) {
    const { CallOnTerminal } = await import("../call_on_terminal.ts");
    return new CallOnTerminal(line, process);
  }
  return {
    async print(results, asked) {
      await writeAll(stdout, await render(asked, results, format ?? "mcp"));
    },
  };
}

/** Reads the request, and prints this failure for each of its calls. The log gets their lines. */
export async function failCall(
  failure: CallError,
  { line, operands, process }: {
    line: CommandLine;
    operands: readonly string[];
    process: Process;
  },
): Promise<number> {
  let request: Request = mcpRequest(undefined);
  let asked: readonly IncomingCall[] | "list" = [];
  try {
    request = await readRequest(operands, process, line);
    asked = await request.read();
  } catch { /* The failure is printed for an unreadable request too. */ }
  const calls = asked === "list" ? [] : asked;
  const options = line.options.has("audit") && asked !== "list"
    ? await process.callOptions(line, { isConfigured: false })
    : undefined;
  const results: CallResult[] = [];
  for (const each of calls.length === 0 ? [{ call: called(operands) }] : calls) {
    const call = "call" in each ? each.call : {};
    results.push(
      options === undefined ? failureResult(failure) : await rejectCall(failure, options, call),
    );
  }
  const shown = options ?? { registry: new Registry(process.entries), cwd: workingDirectory() };
  const printer = await printerFor(line, process);
  await printer.print(results, { request, calls, options: shown, called: called(operands) });
  return exitCodeOf(results[0]!);
}

/** Returns the name in the operands of an unreadable call, if there is one. */
function called([name]: readonly string[]): Partial<ToolCall> {
  return name === undefined || isCallText(name) ? {} : { name };
}

/**
 * Executes one call, or the calls of a message: in this thread if all of them only read files, else
 * as a process does that executes many calls. Keeps their order.
 */
async function executeCalls(
  calls: readonly IncomingCall[],
  options: CallOptions,
  line: CommandLine,
): Promise<CallResult[]> {
  const [first] = calls;
  if (line.options.has("nats")) {
    return await (await import("../remote_calls.ts")).callRemotely(calls, options, line);
  }
  if (calls.length === 1 && "call" in first!) return [await executeCall(first.call, options)];
  const { executeBatch } = await import("../../call/execute_batch.ts");
  const { readerOptions } = await import("../../call/reader_calls.ts");
  const here = await readerOptions(calls, options);
  if (here !== undefined) return await executeBatch(calls, here);
  const { longLivedOptions } = await import("../long_lived.ts");
  const shared = longLivedOptions(line, options);
  try {
    return await executeBatch(calls, shared);
  } finally {
    shared.pool.close();
  }
}

/** The format of `--format`, or else of the environment, if one of them chooses any. */
function formatOf(line: CommandLine): Format | undefined {
  if (line.options.has("format")) return readFormat(line, formats);
  // A failure is printed when this process may not read variables any more.
  pinned ??= readVariable(FORMAT_VARIABLE) ?? "";
  return pinned === "" ? undefined : knownFormat(pinned, formats, FORMAT_VARIABLE);
}

/** Runs the same command line inside one more sandbox layer. */
async function runInSandboxLayer(line: CommandLine, process: Process): Promise<number> {
  const wall = line.options.get("wall")!;
  if (wall !== "bwrap") throw new UsageError(`Unknown --wall=${wall}; available: bwrap`);
  const options = await process.callOptions(line);
  try {
    const { runInsideBubblewrap } = await import("../inside_bubblewrap.ts");
    return await runInsideBubblewrap(line, process, options);
  } catch (error) {
    const result = await rejectCall(error, options);
    const printer = await printerFor(line, process);
    await printer.print([result], { request: mcpRequest(undefined), calls: [], options });
    return exitCodeOf(result);
  }
}
