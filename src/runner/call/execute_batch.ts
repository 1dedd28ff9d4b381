import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { cancelOnSignal } from "./cancel.ts";
import type { CallOptions, IncomingCall, ToolCall } from "./call.ts";
import { type CallResult, withRepairs } from "./failure.ts";
import { executeCall, rejectCall } from "./execute.ts";
import { hearByCall } from "../sandbox/executors/prints.ts";
import { HARMLESS_EFFECTS } from "./run.ts";

/** The most calls that run at the same time. Most of those that use the network only wait. */
const MAX_AT_ONCE = 8;

/**
 * Executes the calls of one message in order. `options` have the Workers of a process that executes
 * many calls, or an executor of this thread.
 * Up to eight neighbouring calls that only read run at the same time. The results come in the order
 * of the calls. A call that fails does not stop the next one. Never rejects.
 */
export async function executeBatch(
  calls: readonly IncomingCall[],
  options: CallOptions,
): Promise<CallResult[]> {
  const stop = new AbortController();
  cancelOnSignal(options.listeners, stop);
  // Calls in this thread end one after the other, as long as they do not wait for anything.
  const isolatePrints = options.pool === undefined ? callIt : await hearByCall();
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
    const run = isolatePrints(() => executeOne(call, options, stop.signal)).then((result) => {
      results[place] = result;
    });
    running.push(run);
    if (!onlyReads) await run;
  }
  await Promise.all(running);
  return results;
}

function callIt<T>(call: () => T): T {
  return call();
}

/**
 * Whether a call changes nothing, as a call of an unknown tool does. The tools of MCP servers count
 * as changing, because only their servers know what they change.
 */
async function reads(name: string, { registry }: CallOptions): Promise<boolean> {
  if (name.startsWith("mcp__")) return false;
  try {
    const { metadata } = await registry.get(name).load();
    return HARMLESS_EFFECTS.includes(metadata.sideEffect);
  } catch {
    return true;
  }
}

async function executeOne(
  call: ToolCall,
  options: CallOptions,
  signal: AbortSignal,
): Promise<CallResult> {
  if (!signal.aborted) return await executeCall(call, options);
  const message = `The call of ${quote(call.name)} was cancelled`;
  const result = await rejectCall(new CallError("cancelled", message), options, call);
  return withRepairs(result, call.repairs ?? []);
}
