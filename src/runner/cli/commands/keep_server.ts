import { UsageError } from "../../../base/errors.ts";
import { isObject } from "../../../base/json/is_object.ts";
import { keepInUse } from "../../cache/cached_versions.ts";
import { STOP_SIGNALS } from "../../call/cancel.ts";
import type { KeepOrder } from "../../mcp/kept/keep_order.ts";
import type { KeeperStart } from "../../mcp/kept/kept_transport.ts";
import { ServerKeeper } from "../../mcp/kept/server_keeper.ts";
import { ownVariable } from "../../own_environment.ts";
import type { Command } from "../command.ts";
import { refuseOperands } from "../operands.ts";
import { readStream, writeAll } from "../streams.ts";

/** The most that an order is, in bytes. */
const MAX_ORDER = 2 ** 24;

/**
 * `toolcall keep-server`: the process that keeps an MCP server, or the shell of a session, between
 * calls. It is not meant for people. It reads an order on stdin, and prints one line when calls can connect.
 */
export const keepServerCommand: Command = async (_line, operands, process) => {
  refuseOperands(operands, 0);
  const order = parseOrder(new TextDecoder().decode(await readStream(process.stdin, MAX_ORDER)));
  const print = (answer: KeeperStart) => writeAll(process.stdout, `${JSON.stringify(answer)}\n`);
  // It may outlive the directory in which the call was made.
  Deno.chdir("/");
  if (ownVariable("executable") !== undefined) keepInUse(process.program.directory);
  let keeper: ServerKeeper | undefined;
  let before: string | undefined;
  try {
    keeper = await ServerKeeper.start(order);
    if (order.kind === "shell") {
      const { recordShell, watchShell } = await import("../../shell/shell_task.ts");
      const shell = await recordShell(order);
      before = shell.before;
      keeper.onEnd = shell.end;
      watchShell(keeper);
    }
  } catch (error) {
    await keeper?.end();
    await print({ error: (error as Error).message });
    return 0;
  }
  for (const signal of STOP_SIGNALS) {
    Deno.addSignalListener(signal, () => void keeper.end(": a signal ended its keeper"));
  }
  await print(before === undefined ? {} : { before });
  await keeper.ended;
  return 0;
};

function parseOrder(input: string): KeepOrder {
  try {
    const order: unknown = JSON.parse(input);
    if (isObject(order) && typeof order["server"] === "string" && isObject(order["program"])) {
      return order as unknown as KeepOrder;
    }
  } catch { /* said below */ }
  throw new UsageError('keep-server is internal to toolcall; set "keepAlive" of a server instead');
}
