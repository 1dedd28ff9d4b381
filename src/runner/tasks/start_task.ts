import { CallError } from "../../base/errors.ts";
import { ownCommand, startDetached } from "../sandbox/executors/own_process.ts";
import type { CallOptions, Prepared, TaskOrder } from "../call/call.ts";
import type { CallResult } from "../call/failure.ts";
import { callPolicy } from "../call/policy.ts";
import { ownVariable } from "../own_environment.ts";

/**
 * Starts a call as a background task, in a process that outlives this one and answers
 * under the same flags. Returns once the task is recorded. Throws when it cannot be.
 */
export async function startTask(
  prepared: Prepared,
  settings: CallOptions,
  signal: AbortSignal,
): Promise<CallResult> {
  if (ownVariable("wall") !== undefined) {
    throw new CallError(
      "unavailable",
      "Cannot run in the background behind --wall: all that runs there ends with the call; leave " +
        "the flag or run_in_background away",
    );
  }
  const { name } = prepared.tool.metadata;
  const order: TaskOrder = {
    call: { name, arguments: prepared.args },
    timeoutMs: callPolicy(prepared, settings).timeoutMs,
  };
  const [path, ...own] = ownCommand(settings.program);
  const command: [string, ...string[]] = [path, ...own, ...settings.flags, "run-task"];
  return JSON.parse(await startDetached(command, { input: JSON.stringify(order), signal }));
}
