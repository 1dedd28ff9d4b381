/** Turns what sends calls to workers into the runner of a submission. */

import type { CallOptions, ToolCall } from "../call/call.ts";
import { executeCall } from "../call/execute.ts";
import { isRemoteTaskId, type RemoteTasks } from "../remote/remote_tasks.ts";
import type { CallRunner } from "../submit/call_runner.ts";

/**
 * Returns the runner. No call is over at once, because each goes over the network. Calls
 * that read or stop a task on a worker run here: they ask the server and no worker.
 */
export function callRunner(
  runner: Pick<CallRunner, "execute" | "executeSoon" | "stop">,
  options: CallOptions,
  tasks: () => Promise<RemoteTasks>,
): CallRunner {
  return {
    prepare: () => undefined,
    executeAtOnce: () => undefined,
    executeQuickly: () => undefined,
    async execute(incoming, signal, id) {
      if ("failure" in incoming || !isTaskCall(incoming.call)) {
        return await runner.execute(incoming, signal, id);
      }
      const read = async (task: string, waitMs: number) =>
        await (await tasks()).read(task, waitMs, signal);
      const stop = async (task: string) => await (await tasks()).stop(task);
      return await executeCall(incoming.call, { ...options, tasks: { read, stop } });
    },
    ...(runner.executeSoon && {
      executeSoon: (call: ToolCall, id) =>
        isTaskCall(call) ? undefined : runner.executeSoon?.(call, id),
      stop: () => runner.stop?.(),
    }),
  };
}

/** The tools that read and stop background tasks. */
const TASK_TOOLS = ["TaskOutput", "TaskStop", "KillShell"];

/** Whether a call reads or stops a background task on a worker. */
function isTaskCall({ name, arguments: { task_id, shell_id } }: ToolCall): boolean {
  return TASK_TOOLS.includes(name) && isRemoteTaskId(task_id ?? shell_id);
}
