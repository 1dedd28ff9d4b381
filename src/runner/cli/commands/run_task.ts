import type { TaskOrder } from "../../call/call.ts";
import { runTask } from "../../tasks/run_task.ts";
import { type Command, refuseOperands } from "../command.ts";
import { readCallOptions } from "../call_options.ts";
import { readStream, writeAll } from "../streams.ts";
import { UsageError } from "../../../base/errors.ts";

/** The most that a task's order is, in bytes. */
const MAX_ORDER = 2 ** 27;

/**
 * `toolcall run-task`: the process of a background task. It is not meant for people. It reads a
 * task order on stdin, supervises the task, and prints the answer to the call on one line.
 */
export const runTaskCommand: Command = async (line, operands, process) => {
  refuseOperands(operands, 0);
  const input = new TextDecoder().decode(await readStream(process.stdin, MAX_ORDER));
  const options = await readCallOptions(line, process);
  try {
    await runTask(orderOf(input), options, (result) => {
      return writeAll(process.stdout, `${JSON.stringify(result)}\n`);
    });
  } finally {
    await options.servers.close();
  }
  return 0;
};

function orderOf(input: string): TaskOrder {
  try {
    const order: TaskOrder = JSON.parse(input);
    if (typeof order.call.name === "string" && typeof order.call.arguments === "object") {
      return order;
    }
  } catch { /* said below */ }
  throw new UsageError(
    "run-task takes an order of toolcall's own; run a call in the background instead",
  );
}
