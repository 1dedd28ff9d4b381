import { type CallError, UsageError } from "../../../base/errors.ts";
import type { Format, Request } from "../../dialect/incoming.ts";
import { mcpRequest, render, renderList } from "../../dialect/request.ts";
import { executeCall } from "../../call/execute.ts";
import type { CallOptions, IncomingCall, ToolCall } from "../../call/call.ts";
import { withServers } from "../../call/servers.ts";
import { type CallResult, exitCodeOf, failureResult } from "../../call/failure.ts";
import { refused } from "../../call/refused.ts";
import { quote } from "../../../base/text/quote.ts";
import { readRequest } from "../input.ts";
import type { CommandLine } from "../parse.ts";
import { type Command, type Process, refuseOperands, unknownFormat } from "../command.ts";
import { settingsOf } from "../settings.ts";
import { writeAll } from "../streams.ts";

/** The forms that a result can be printed in. */
const formats: readonly Format[] = ["mcp", "same", "openai", "responses", "anthropic", "text"];

/**
 * `toolcall [call] [NAME [JSON]]`: runs one call, or the calls of one message, and prints
 * what they were answered as one line of JSON.
 */
export const callCommand: Command = async (line, operands, process) => {
  refuseOperands(operands, 2);
  const format = formatOf(line);
  if (line.options.has("wall")) return await insideWall(line, process);
  const settings = await settingsOf(line, process);
  try {
    return await executeAndPrint();
  } finally {
    await settings.servers.close();
  }

  async function executeAndPrint(): Promise<number> {
    let request: Request = mcpRequest(undefined);
    let calls: readonly IncomingCall[] = [];
    let results: readonly CallResult[];
    try {
      request = await readRequest(operands, process, line);
      const asked = await request.read();
      if (asked === "list") {
        const { warn } = await import("../catalogue/catalogue.ts");
        const { toMcp } = await import("../../schema/definitions/mcp.ts");
        const { registry } = settings;
        await warn(await withServers(settings), process);
        const outputs = settings.structured
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
      results = await executeCalls(calls, settings);
    } catch (error) {
      results = [
        await refused(error, settings, called(operands)),
      ];
    }
    await writeAll(process.stdout, await render({ request, calls }, results, format));
    return results.map(exitCodeOf).find((code) => code !== 0) ?? 0;
  }
};

/** Answers what is asked, whatever it is, with a failure, in its dialect; the log gets its lines. */
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
  } catch { /* What came in is not looked at further. */ }
  const calls = asked === "list" ? [] : asked;
  const settings = line.options.has("audit") && asked !== "list"
    ? await settingsOf(line, process, { isConfigured: false })
    : undefined;
  const results: CallResult[] = [];
  for (const each of calls.length === 0 ? [{ call: called(operands) }] : calls) {
    const call = "call" in each ? each.call : {};
    results.push(
      settings === undefined ? failureResult(failure) : await refused(failure, settings, call),
    );
  }
  await writeAll(process.stdout, await render({ request, calls }, results, formatOf(line)));
  return exitCodeOf(results[0]!);
}

/** What the operands say of a call that cannot be read. */
function called([name]: readonly string[]): Partial<ToolCall> {
  return name === undefined ? {} : { name };
}

/** The results of calls, in order: one call is answered here, several in processes of their own. */
async function executeCalls(
  calls: readonly IncomingCall[],
  settings: CallOptions,
): Promise<CallResult[]> {
  const [first] = calls;
  if (calls.length === 1 && "call" in first!) return [await executeCall(first.call, settings)];
  const { executeBatch } = await import("../../call/execute_batch.ts");
  return await executeBatch(calls, settings);
}

function formatOf({ options }: CommandLine): Format {
  const given = options.get("format") ?? "mcp";
  const format = formats.find((each) => each === given);
  if (format === undefined) throw unknownFormat(given, formats);
  return format;
}

/** The same command line behind one wall more. */
async function insideWall(line: CommandLine, process: Process): Promise<number> {
  const wall = line.options.get("wall")!;
  if (wall !== "bwrap") throw new UsageError(`Unknown wall ${quote(wall)}; known is bwrap`);
  const settings = await settingsOf(line, process);
  try {
    const { runInsideBubblewrap } = await import("../inside_bubblewrap.ts");
    return await runInsideBubblewrap(line, process, settings);
  } catch (error) {
    const result = await refused(error, settings);
    const unread = { request: mcpRequest(undefined), calls: [] };
    await writeAll(process.stdout, await render(unread, [result], formatOf(line)));
    return exitCodeOf(result);
  }
}
