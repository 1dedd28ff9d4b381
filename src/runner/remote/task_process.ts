/** Runs a background task of a worker in a process of its own. */

import { quote } from "../../base/text/quote.ts";
import { CallError } from "../../base/errors.ts";
import type { CallOptions, TaskOrder, ToolCall } from "../call/call.ts";
import type { CallResult } from "../call/failure.ts";
import { ownCommand, runOwnProcess } from "../sandbox/executors/own_process.ts";

/** Whether the arguments of a call ask for a background task. A string is repaired by the worker. */
export function asksForBackground(args: Readonly<Record<string, unknown>>): boolean {
  const { run_in_background: wanted } = args;
  return wanted === true || wanted === "true";
}

/**
 * Executes a call in a process of this program, which ends with this one. The process appends the output
 * of the call to the file `output`. Rejects with `unavailable`, and with `cancelled` after an abort.
 */
export async function runTaskProcess(
  call: ToolCall,
  options: CallOptions,
  { output, signal }: { output: string; signal: AbortSignal },
): Promise<CallResult> {
  const { program, flags, audit } = options;
  // The process has the time limit of the tool.
  const order: TaskOrder = { call, timeoutMs: 0, output };
  const [path, ...own] = ownCommand(program);
  const run = async () => {
    const text = await runOwnProcess(
      [path, ...own, ...flags, "run-task"],
      { input: JSON.stringify(order), env: {}, signal },
    );
    return resultIn(text, call, signal);
  };
  if (audit === undefined) return await run();
  const { auditCall } = await import("../audit/audit.ts");
  return await auditCall(call, options, run);
}

function resultIn(text: string, { name }: ToolCall, signal: AbortSignal): CallResult {
  try {
    const result = JSON.parse(text);
    if (Array.isArray(result.content)) return result;
  } catch { /* said below */ }
  throw signal.aborted
    ? new CallError("cancelled", `The task ${quote(name)} was stopped`)
    : new CallError("unavailable", `The process of the task ${quote(name)} ended without a result`);
}
