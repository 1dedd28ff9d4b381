import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { executeInSubprocess } from "./execute_in_subprocess.ts";
import { cancelOnSignal } from "./cancel.ts";
import type { CallOptions, IncomingCall, ToolCall } from "./call.ts";
import { type CallResult, failureOf, failureResult, withRepairs } from "./failure.ts";
import { rejectCall } from "./execute.ts";
import { HARMLESS_EFFECTS } from "./run.ts";

/** The most calls that run at the same time. Each is a process. */
const MAX_AT_ONCE = 8;

/**
 * Executes the calls of one message in order, each in a subprocess. Up to eight neighbouring calls
 * that only read run at the same time. The results come in the order of the calls. A call that
 * fails does not stop the next one. Never rejects.
 */
export async function executeBatch(
  calls: readonly IncomingCall[],
  options: CallOptions,
): Promise<CallResult[]> {
  const stop = new AbortController();
  cancelOnSignal(options.listeners, stop);
  const results: CallResult[] = [];
  let running: Promise<void>[] = [];
  for (const [place, incoming] of calls.entries()) {
    if ("failure" in incoming) {
      results[place] = await rejectCall(incoming.failure, options);
      continue;
    }
    const { call } = incoming;
    const onlyReads = await reads(call.name, options);
    if (!onlyReads || running.length === MAX_AT_ONCE) {
      await Promise.all(running);
      running = [];
    }
    const run = executeOne(call, options, stop.signal).then((result) => {
      results[place] = result;
    });
    running.push(run);
    if (!onlyReads) await run;
  }
  await Promise.all(running);
  return results;
}

/**
 * Whether a call changes nothing, as a call of an unknown tool does. The tools of MCP servers count
 * as changing, because their side effects are known only in the process that calls the server.
 */
async function reads(name: string, { registry }: CallOptions): Promise<boolean> {
  if (name.startsWith("mcp__") && !registry.has(name)) return false;
  try {
    const { metadata } = await registry.get(name).load();
    return HARMLESS_EFFECTS.includes(metadata.sideEffect);
  } catch {
    return true;
  }
}

async function executeOne(
  { repairs = [], ...call }: ToolCall,
  options: CallOptions,
  signal: AbortSignal,
): Promise<CallResult> {
  try {
    const result = await executeInSubprocess(call, options, signal);
    return withRepairs(result, [...repairs, ...result._meta?.["toolcall/repaired"] ?? []]);
  } catch (error) {
    const failure = signal.aborted && !(error instanceof CallError)
      ? new CallError("cancelled", `The call of ${quote(call.name)} was cancelled`)
      : failureOf(error);
    return withRepairs(failureResult(failure), repairs);
  }
}
