import { CallError } from "../call_error.ts";
import { quote } from "../quote.ts";
import type { InnerCall } from "../registry/services.ts";
import { ownCommand, runToEnd } from "../sandbox/own_process.ts";
import type { Settings } from "./call.ts";
import type { CallResult } from "./failure.ts";

/**
 * Answers a call in a process of its own, under the same flags: walls are entered once in a
 * process, and for good. Aborting `signal` cancels it there. Throws the signal's reason, or
 * `unavailable`, when no answer comes.
 */
export async function answerElsewhere(
  { session = "", ...call }: InnerCall,
  settings: Settings,
  signal: AbortSignal,
): Promise<CallResult> {
  const [path, ...args] = ownCommand(settings);
  const flags = [...settings.flags, ...(session === "" ? [] : [`--session=${session}`])];
  const command: [string, ...string[]] = [path, ...args, ...flags, "call"];
  const text = await runToEnd(command, { input: JSON.stringify(call), signal });
  try {
    const result: CallResult = JSON.parse(text);
    if (Array.isArray(result.content)) return result;
  } catch { /* said below */ }
  signal.throwIfAborted();
  throw new CallError("unavailable", `The call of ${quote(call.name)} ended without an answer`);
}
