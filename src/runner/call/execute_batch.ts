import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { executeInSubprocess } from "./execute_in_subprocess.ts";
import { cancelOnSignal } from "./cancel.ts";
import type { CallOptions, IncomingCall, ToolCall } from "./call.ts";
import { type CallResult, failureOf, failureResult, withRepairs } from "./failure.ts";
import { refused } from "./refused.ts";

/** How many calls run at the same time at most; each is a process. */
const AT_ONCE = 8;

/** The side effects of calls that may run beside each other. */
const READING = ["none", "read_only", "network"];

/**
 * Answers the calls of one message, each in a process of its own and in their order: those
 * that only read run beside their neighbours that only read too, up to eight of them. The
 * results come in the order of the calls; a call that fails does not keep the next from
 * running. Nothing is thrown.
 */
export async function executeBatch(
  calls: readonly IncomingCall[],
  settings: CallOptions,
): Promise<CallResult[]> {
  const stop = new AbortController();
  cancelOnSignal(settings.listeners, stop);
  const results: CallResult[] = [];
  let running: Promise<void>[] = [];
  for (const [place, incoming] of calls.entries()) {
    if ("failure" in incoming) {
      results[place] = await refused(incoming.failure, settings);
      continue;
    }
    const { call } = incoming;
    const onlyReads = await reads(call.name, settings);
    if (!onlyReads || running.length === AT_ONCE) {
      await Promise.all(running);
      running = [];
    }
    const run = executeOne(call, settings, stop.signal).then((result) => {
      results[place] = result;
    });
    running.push(run);
    if (!onlyReads) await run;
  }
  await Promise.all(running);
  return results;
}

/**
 * Whether a call changes nothing; one of a tool that is not there does not either. What a
 * server's tool does, the server says only in the process that calls it.
 */
async function reads(name: string, { registry }: CallOptions): Promise<boolean> {
  if (name.startsWith("mcp__") && !registry.has(name)) return false;
  try {
    const { metadata } = await registry.get(name).load();
    return READING.includes(metadata.sideEffect);
  } catch {
    return true;
  }
}

async function executeOne(
  { repairs = [], ...call }: ToolCall,
  settings: CallOptions,
  signal: AbortSignal,
): Promise<CallResult> {
  try {
    const result = await executeInSubprocess(call, settings, signal);
    return withRepairs(result, [...repairs, ...result._meta?.["toolcall/repaired"] ?? []]);
  } catch (error) {
    const failure = signal.aborted && !(error instanceof CallError)
      ? new CallError("cancelled", `The call of ${quote(call.name)} was cancelled`)
      : failureOf(error);
    return withRepairs(failureResult(failure), repairs);
  }
}
