import { type CallError, UsageError } from "../../../base/errors.ts";
import type { Format, Request } from "../../dialect/incoming.ts";
import { mcpRequest, render, renderList } from "../../dialect/request.ts";
import { executeCall, rejectCall } from "../../call/execute.ts";
import type { CallOptions, IncomingCall, ToolCall } from "../../call/call.ts";
import { withServers } from "../../call/servers.ts";
import { type CallResult, exitCodeOf, failureResult } from "../../call/failure.ts";
import { quote } from "../../../base/text/quote.ts";
import { readTypedRequest } from "../read_typed_request.ts";
import { readRequest, writeAll } from "../streams.ts";
import {
  type Command,
  type CommandLine,
  type Process,
  readFormat,
  refuseOperands,
} from "../command.ts";
import { readCallOptions } from "../call_options.ts";

/** The formats of a result. */
const formats: readonly Format[] = ["mcp", "same", "openai", "responses", "anthropic", "text"];

/**
 * `toolcall [call] [NAME [JSON]]`, or `toolcall NAME [KEY=VALUE…]`: executes one call, or the calls
 * of one message, and prints the results as one line of JSON.
 */
export const callCommand: Command = async (line, operands, process) => {
  // Only the operands without the word "call" may be arguments as people type them.
  if (line.positionals[0] === "call") refuseOperands(operands, 2, line);
  const format = formatOf(line);
  if (line.options.has("wall")) return await runInsideWall(line, process);
  const options = await readCallOptions(line, process);
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
        const { warn } = await import("../catalogue/catalogue.ts");
        const { toMcp } = await import("../../schema/definitions/mcp.ts");
        const { registry } = options;
        await warn(await withServers(options), process);
        const outputs = options.structured
          ? (await import("../../registry/published_outputs.ts")).publishedOutputs
          : {};
        const names = registry.namesForApis();
        const tools = (await registry.list()).map((tool) =>
          toMcp(tool, names.get(tool.name)!, outputs)
        );
        await writeAll(process.stdout, await renderList(request, tools));
        return 0;
      }
      calls = asked;
      results = await executeCalls(calls, options, line);
    } catch (error) {
      if (error instanceof UsageError) throw error;
      results = [await rejectCall(error, options, called(operands))];
    }
    await writeAll(process.stdout, await render({ request, calls }, results, format));
    return results.map(exitCodeOf).find((code) => code !== 0) ?? 0;
  }
};

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
    ? await readCallOptions(line, process, { isConfigured: false })
    : undefined;
  const results: CallResult[] = [];
  for (const each of calls.length === 0 ? [{ call: called(operands) }] : calls) {
    const call = "call" in each ? each.call : {};
    results.push(
      options === undefined ? failureResult(failure) : await rejectCall(failure, options, call),
    );
  }
  await writeAll(process.stdout, await render({ request, calls }, results, formatOf(line)));
  return exitCodeOf(results[0]!);
}

/** Returns the name in the operands of an unreadable call, if there is one. */
function called([name]: readonly string[]): Partial<ToolCall> {
  return name === undefined ? {} : { name };
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

function formatOf(line: CommandLine): Format {
  return readFormat(line, formats);
}

/** Runs the same command line inside one more sandbox layer. */
async function runInsideWall(line: CommandLine, process: Process): Promise<number> {
  const wall = line.options.get("wall")!;
  if (wall !== "bwrap") throw new UsageError(`Unknown wall ${quote(wall)}; known is bwrap`);
  const options = await readCallOptions(line, process);
  try {
    const { runInsideBubblewrap } = await import("../inside_bubblewrap.ts");
    return await runInsideBubblewrap(line, process, options);
  } catch (error) {
    const result = await rejectCall(error, options);
    const unread = { request: mcpRequest(undefined), calls: [] };
    await writeAll(process.stdout, await render(unread, [result], formatOf(line)));
    return exitCodeOf(result);
  }
}
