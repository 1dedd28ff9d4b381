import { malformed } from "../../dialect/mcp.ts";
import { prepareCall } from "../../call/execute.ts";
import { refusalOf } from "../../call/authorise.ts";
import { callPolicy } from "../../call/run.ts";
import { exitCodes, failureOf, failureResult, withRepairs } from "../../call/failure.ts";
import type { CallOptions, IncomingCall, Repair } from "../../call/call.ts";
import type { RegisteredTool } from "../../registry/registered_tool.ts";
import { programsNotConfined, sandboxMissing } from "../../sandbox/linux/kernel.ts";
import { describeConfinement } from "../../sandbox/describe_confinement.ts";
import { UsageError } from "../../../base/errors.ts";
import { readTypedRequest } from "../read_typed_request.ts";
import { writeAll } from "../streams.ts";
import type { Command } from "../command.ts";
import { readCallOptions } from "../call_options.ts";

/**
 * `toolcall check …`: does everything except run the call. Prints one line of JSON: the arguments
 * with their defaults, the needed permissions, whether the flags grant them, the policy of the
 * call, and its sandbox. A message with several calls gets a list. The exit code is the one that
 * the first refused call would have.
 */
export const checkCommand: Command = async (line, operands, process) => {
  const options = await readCallOptions(line, process);
  const checked: Checked[] = [];
  let isMessage = false;
  try {
    const request = await readTypedRequest(operands, process, { line, options });
    const calls = await request.read();
    if (calls === "list") throw malformed("only a call can be checked");
    isMessage = request.isMessage;
    for (const call of calls) checked.push(await check(call, options));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    checked.push(refused(error));
  } finally {
    await options.servers.closeAll();
  }
  const shown = checked.map(({ shown }) => shown);
  await writeAll(process.stdout, `${JSON.stringify(isMessage ? shown : shown[0])}\n`);
  return checked.map(({ exit }) => exit).find((exit) => exit !== 0) ?? 0;
};

/** The printed report on one call, and its exit code. */
type Checked = { shown: unknown; exit: number };

function refused(error: unknown, repairs: readonly Repair[] = []): Checked {
  const failure = failureOf(error);
  return { shown: withRepairs(failureResult(failure), repairs), exit: exitCodes[failure.code] };
}

async function check(incoming: IncomingCall, options: CallOptions): Promise<Checked> {
  if ("failure" in incoming) return refused(incoming.failure);
  const { call } = incoming;
  const repairs = [...call.repairs ?? []];
  using resources = new DisposableStack();
  try {
    const stop = new AbortController();
    const prepared = await prepareCall(call, options, { stop, resources, repairs });
    const { tool, args, decisions, plan, hosts, writes } = prepared;
    const mounts = await mountsFor(tool, options);
    const { missing, executor, ...walls } = describeConfinement(plan, {
      ...options,
      ...{ hosts, writes, ...(mounts && { mounts }) },
    });
    const refusal = refusalOf(prepared) ??
      (missing && programsNotConfined(sandboxMissing().message));
    const shown = {
      tool: tool.metadata.name,
      arguments: args,
      ...(repairs.length > 0 && { repaired: repairs }),
      needs: decisions.map(({ permission, ...rest }) => ({ ...permission, ...rest })),
      granted: refusal === undefined,
      policy: callPolicy(prepared, options),
      plan: executor,
      walls,
      ...(refusal && { reason: refusal.message }),
    };
    return { shown, exit: refusal === undefined ? 0 : exitCodes[refusal.code] };
  } catch (error) {
    return refused(error, repairs);
  }
}

/** Returns the state of the read-only mounts, for a tool that starts programs. */
async function mountsFor(tool: RegisteredTool, { grants, cwd }: CallOptions) {
  if (!tool.metadata.permissionKinds.includes("run") || Deno.build.os !== "linux") return undefined;
  const { mountState } = await import("../../sandbox/linux/mount_namespace.ts");
  return mountState({ grants, cwd });
}
