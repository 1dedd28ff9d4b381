import { requestOf } from "../dialect/request.ts";
import { malformed } from "../dialect/json_text.ts";
import { askPlanMode, find, prepare } from "../engine/answer.ts";
import { refusalOf } from "../engine/authorise.ts";
import type { Services } from "../engine/services.ts";
import { exitCodes, failureOf, failureResult } from "../engine/failure.ts";
import { noServices } from "../sandbox/services.ts";
import { notHeld, noWall } from "../sandbox/kernel.ts";
import { wallsOf } from "../sandbox/walls.ts";
import { readInput } from "./input.ts";
import { type Command, refuseOperands } from "./command.ts";
import { settingsOf } from "./settings.ts";
import { writeAll } from "./streams.ts";

/**
 * `toolcall check …`: all that comes before running. Prints one line of JSON:
 * the arguments with their defaults, what the call needs, whether the flags
 * grant it, and what each wall will hold. The exit code is the one the call would
 * be refused with.
 */
export const checkCommand: Command = async (line, operands, process) => {
  refuseOperands(operands, 2);
  const settings = await settingsOf(line, process);
  let services: Services | undefined;
  const print = (value: unknown) => writeAll(process.stdout, `${JSON.stringify(value)}\n`);
  try {
    const asked = requestOf(await readInput(operands, process)).read();
    if (asked === "list") throw malformed("only a call can be checked");
    const tool = await find(asked.name, settings.registry);
    await askPlanMode(tool, settings);
    services = tool.metadata.uses && (await import("../engine/services.ts")).servicesFor(
      tool.metadata,
      settings,
      new AbortController().signal,
    );
    const serve = services?.serve ?? noServices;
    const prepared = await prepare(tool, asked.arguments, { ...settings, serve });
    const { hosts, writes } = prepared;
    const { missing, ...walls } = wallsOf(tool, { ...settings, hosts, writes });
    const refusal = refusalOf(prepared) ?? (missing && notHeld(noWall().message));
    await print({
      tool: prepared.tool.metadata.name,
      arguments: prepared.args,
      needs: prepared.decisions.map(({ permission, ...rest }) => ({
        ...permission,
        ...rest,
      })),
      granted: refusal === undefined,
      walls,
      ...(refusal && { reason: refusal.message }),
    });
    return refusal === undefined ? 0 : exitCodes[refusal.code];
  } catch (error) {
    const failure = failureOf(error);
    await print(failureResult(failure));
    return exitCodes[failure.code];
  } finally {
    services?.close();
  }
};
