import { copyJson } from "../../../base/json/copy_json.ts";
import { malformed } from "../../dialect/mcp.ts";
import { prepareCall } from "../../call/execute.ts";
import { refusalOf } from "../../call/authorise.ts";
import { likelyNeeds } from "../../call/likely_needs.ts";
import { callPolicy } from "../../call/run.ts";
import {
  type CallResult,
  exitCodes,
  failureOf,
  failureResult,
  withRepairs,
} from "../../call/failure.ts";
import type { CallOptions, IncomingCall, Repair, ToolCall } from "../../call/call.ts";
import type { RegisteredTool } from "../../registry/registered_tool.ts";
import { programsNotConfined, sandboxMissing } from "../../sandbox/linux/kernel.ts";
import { describeConfinement } from "../../sandbox/describe_confinement.ts";
import { UsageError } from "../../../base/errors.ts";
import { readTypedRequest } from "../read_typed_request.ts";
import { isVerbose, writeAll } from "../streams.ts";
import { type Command, type CommandLine, type Process, readFormat } from "../command.ts";
import type { KeptPermission } from "../../state/kept_permissions.ts";
import { type CheckedCall, checkPage } from "../print/check_page.ts";
import { failureHelp } from "../print/failure_help.ts";
import { failureText } from "../print/result_page.ts";
import { layoutFor } from "../print/style.ts";
import { withKeptPermissions } from "../prompt.ts";
import { withVerbose } from "../verbose.ts";

/**
 * `toolcall check …`: does everything except run the call. Prints a page on a terminal, else one line
 * of JSON: the arguments with their defaults, the needed permissions, whether the flags grant them,
 * the policy of the call, and its sandbox. A message with several calls gets a list. The exit code
 * is the one that the first refused call would have.
 */
export const checkCommand: Command = async (line, operands, process) => {
  const { stdout } = process;
  const isText =
    readFormat(line, stdout.isTerminal() ? ["text", "json"] : ["json", "text"]) === "text";
  let options = await process.callOptions(line);
  let kept: readonly KeptPermission[] = [];
  if (line.options.has("prompt")) {
    ({ options, kept } = await withKeptPermissions(options, { line, process }));
  }
  if (isVerbose(line)) options = withVerbose(options, process);
  const checked: Checked[] = [];
  let isMessage = false;
  try {
    const request = await readTypedRequest(operands, process, { line, options });
    const calls = await request.read();
    if (calls === "list") throw malformed("only a call can be checked");
    isMessage = request.isMessage;
    for (const call of calls) checked.push(await checkCall(call, options));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    checked.push(refused(error));
  } finally {
    await options.servers.closeAll();
  }
  if (isText) {
    const pages = [];
    for (const each of checked) pages.push(await pageOf(each, { line, process, options, kept }));
    await writeAll(stdout, pages.join("\n"));
    return exitCodeOf(checked);
  }
  const shown = checked.map(({ shown }) => shown);
  await writeAll(process.stdout, `${JSON.stringify(isMessage ? shown : shown[0])}\n`);
  return exitCodeOf(checked);
};

/** The report on one call, for programs and for people, and its exit code. */
export interface Checked {
  /** The report on the call, or the result with its failure. */
  shown: unknown;
  /** The exit code that the call would have, if it fails. */
  exit: number;
  /** The report on a call that is ready to run. */
  call?: CheckedCall;
  /** The failure of any other call, which may be unreadable. */
  failed?: { result: CallResult; call: Partial<ToolCall> };
}

function refused(
  error: unknown,
  repairs: readonly Repair[] = [],
  call: Partial<ToolCall> = {},
): Checked {
  const failure = failureOf(error);
  const result = withRepairs(failureResult(failure), repairs);
  return { shown: result, exit: exitCodes[failure.code], failed: { result, call } };
}

function exitCodeOf(checked: readonly Checked[]): number {
  return checked.map(({ exit }) => exit).find((exit) => exit !== 0) ?? 0;
}

/** The page about one call for a person: its report, or its failure and what would work. */
async function pageOf(
  { call, failed }: Checked,
  { line, process, options, kept }: {
    line: CommandLine;
    process: Process;
    options: CallOptions;
    kept: readonly KeptPermission[];
  },
): Promise<string> {
  const page = layoutFor(process.stdout);
  if (call !== undefined) {
    const program = Deno.realPathSync(process.program.directory);
    return checkPage(call, { line, kept, program, page });
  }
  const { result, call: given } = failed!;
  const help = await failureHelp(result, { call: given, options, line }, page);
  return failureText(result, page) + help.map((each) => `${each}\n`).join("");
}

/** Does everything for one call except run it. Every failure is in the report. */
export async function checkCall(incoming: IncomingCall, options: CallOptions): Promise<Checked> {
  if ("failure" in incoming) return refused(incoming.failure);
  const { call } = incoming;
  // Preparing the call adds defaults, and the printed command is to be the given one.
  const given = copyJson(call);
  const repairs = [...call.repairs ?? []];
  using resources = new DisposableStack();
  try {
    const stop = new AbortController();
    const prepared = await prepareCall(call, options, { stop, resources, repairs });
    const { tool, args, decisions, plan, hosts, writes } = prepared;
    const mounts = await mountsFor(tool, options);
    const { missing, executor, ...sandbox } = describeConfinement(plan, {
      ...options,
      ...{ hosts, writes, ...(mounts && { mounts }) },
    });
    const refusal = refusalOf(prepared) ??
      (missing && programsNotConfined(sandboxMissing().message));
    const likely = await likelyNeeds(tool, args, options.grants);
    const shown = {
      tool: tool.metadata.name,
      arguments: args,
      ...(repairs.length > 0 && { repaired: repairs }),
      needs: decisions.map(({ permission, ...rest }) => ({ ...permission, ...rest })),
      granted: refusal === undefined,
      policy: callPolicy(prepared, options),
      plan: executor,
      sandbox,
      ...(refusal && { reason: refusal.message }),
      ...(likely.length > 0 && {
        mayNeed: likely.map(({ permission, flag }) => ({ ...permission, flag })),
      }),
    };
    const confinement = { executor, ...sandbox, ...(missing && { missing }) };
    return {
      ...{ shown, exit: refusal === undefined ? 0 : exitCodes[refusal.code] },
      call: { call: given, prepared, likely, confinement, refusal: refusal?.message },
    };
  } catch (error) {
    return refused(error, repairs, given);
  }
}

/** Returns the state of the read-only mounts, for a tool that starts programs. */
async function mountsFor(tool: RegisteredTool, { grants, cwd }: CallOptions) {
  if (!tool.metadata.permissionKinds.includes("run") || Deno.build.os !== "linux") return undefined;
  const { mountState } = await import("../../sandbox/linux/mount_namespace.ts");
  return mountState({ grants, cwd });
}
