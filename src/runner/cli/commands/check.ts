import { malformed } from "../../dialect/json_text.ts";
import { find, planModeRefusal, prepare } from "../../call/answer.ts";
import { refusalOf } from "../../call/authorise.ts";
import { callPolicy } from "../../call/policy.ts";
import { withServerOf } from "../../call/servers.ts";
import type { Services } from "../../call/services.ts";
import { exitCodes, failureOf, failureResult, withRepairs } from "../../call/failure.ts";
import type { IncomingCall, Repair, Settings } from "../../call/call.ts";
import type { RegisteredTool } from "../../registry/registered_tool.ts";
import { noServices } from "../../sandbox/executors/services.ts";
import { notHeld, noWall } from "../../sandbox/linux/kernel.ts";
import { wallsOf } from "../../sandbox/walls.ts";
import { readRequest } from "../input.ts";
import { type Command, refuseOperands } from "../command.ts";
import { settingsOf } from "../settings.ts";
import { writeAll } from "../streams.ts";

/**
 * `toolcall check …`: all that comes before running. Prints one line of JSON:
 * the arguments with their defaults, what the call needs, whether the flags
 * grant it, its time limit, tries and rate limit, and what each wall will hold; for a message with calls a list of these. The
 * exit code is the one that the first call to be refused would be refused with.
 */
export const checkCommand: Command = async (line, operands, process) => {
  refuseOperands(operands, 2);
  const settings = await settingsOf(line, process);
  const checked: Checked[] = [];
  let isMessage = false;
  try {
    const request = await readRequest(operands, process, line);
    const calls = await request.read();
    if (calls === "list") throw malformed("only a call can be checked");
    isMessage = request.isMessage;
    for (const call of calls) checked.push(await check(call, settings));
  } catch (error) {
    checked.push(refused(error));
  } finally {
    await settings.servers.close();
  }
  const shown = checked.map(({ shown }) => shown);
  await writeAll(process.stdout, `${JSON.stringify(isMessage ? shown : shown[0])}\n`);
  return checked.map(({ exit }) => exit).find((exit) => exit !== 0) ?? 0;
};

/** What is said of one call, and the exit code that goes with it. */
interface Checked {
  shown: unknown;
  exit: number;
}

function refused(error: unknown, repairs: readonly Repair[] = []): Checked {
  const failure = failureOf(error);
  return { shown: withRepairs(failureResult(failure), repairs), exit: exitCodes[failure.code] };
}

async function check(incoming: IncomingCall, settings: Settings): Promise<Checked> {
  if ("failure" in incoming) return refused(incoming.failure);
  const { call } = incoming;
  const repairs = [...call.repairs ?? []];
  let services: Services | undefined;
  try {
    await withServerOf(call.name, settings, new AbortController());
    const tool = await find(call.name, settings.registry);
    const refuseChange = await planModeRefusal(tool, settings);
    services = tool.metadata.uses && (await import("../../call/services.ts")).servicesFor(
      tool.metadata,
      settings,
      new AbortController().signal,
    );
    const serve = services?.serve ?? noServices;
    const prepared = await prepare(tool, call.arguments, { ...settings, serve, repairs });
    refuseChange?.(prepared);
    const { hosts, writes } = prepared;
    const mounts = await mountsFor(tool, settings);
    const options = { ...settings, hosts, writes, ...(mounts && { mounts }) };
    const { missing, ...walls } = wallsOf(tool, options);
    const refusal = refusalOf(prepared) ?? (missing && notHeld(noWall().message));
    const shown = {
      tool: prepared.tool.metadata.name,
      arguments: prepared.args,
      ...(repairs.length > 0 && { repaired: repairs }),
      needs: prepared.decisions.map(({ permission, ...rest }) => ({
        ...permission,
        ...rest,
      })),
      granted: refusal === undefined,
      policy: callPolicy(prepared, settings),
      walls,
      ...(refusal && { reason: refusal.message }),
    };
    return { shown, exit: refusal === undefined ? 0 : exitCodes[refusal.code] };
  } catch (error) {
    return refused(error, repairs);
  } finally {
    services?.close();
  }
}

/** The read-only mounts around the programs of a tool, where it starts any. */
async function mountsFor(tool: RegisteredTool, { grants, cwd }: Settings) {
  if (!tool.metadata.permissionKinds.includes("run") || Deno.build.os !== "linux") return undefined;
  const { mountState } = await import("../../sandbox/linux/mount_state.ts");
  return mountState({ grants, cwd });
}
