import { CallError } from "../call_error.ts";
import { quote } from "../quote.ts";
import type { ContentBlock } from "../registry/define.ts";
import type { Place } from "../sandbox/job.ts";
import type { Prepared, Settings } from "./call.ts";

/** A tool's time limit where it declares none, in milliseconds. */
const DEFAULT_TIMEOUT_MS = 30_000;

/** How long a tool may take to end what it started once it is told to stop, in milliseconds. */
const GRACE_MS = 2_500;

/**
 * Runs a call that was authorised. Throws {@link CallError}, also when the time
 * limit passes or the call is cancelled and the tool has had its time to end.
 */
export async function run(
  { tool, definition, args, paths }: Prepared,
  place: Place,
  settings: Settings,
): Promise<ContentBlock[]> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = definition;
  const limit = typeof timeoutMs === "number" ? timeoutMs : timeoutMs(args);
  // The runtime's setTimeout would load a large part of Node's API first.
  const stop = AbortSignal.any([settings.signal, AbortSignal.timeout(limit)]);
  const { name } = tool.metadata;
  const job = { tool: name, args, paths, cwd: settings.cwd, grants: settings.grants };
  try {
    const content = await Promise.race([place.run(job, stop), overdue(stop)]);
    return typeof content === "string" ? [{ type: "text", text: content }] : content;
  } catch (error) {
    throw stop.aborted ? interrupted(error, name, { reason: stop.reason, limit }) : error;
  }
}

/** Rejects when the tool has had its time to end after `signal` was aborted. */
function overdue(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const wait = () => setTimeout(() => reject(signal.reason), GRACE_MS);
    if (signal.aborted) wait();
    else signal.addEventListener("abort", wait, { once: true });
  });
}

/** The failure of a call that was stopped, with what the tool had to say by then. */
function interrupted(
  error: unknown,
  name: string,
  { reason, limit }: { reason: DOMException; limit: number },
): CallError {
  const said = error instanceof CallError && error.code === "tool_failed" ? error : undefined;
  const own = said !== undefined && said.message !== reason.message ? said.message : undefined;
  return reason.name === "TimeoutError"
    ? new CallError("timeout", own ?? `Cannot finish ${quote(name)} within ${limit} ms`, {
      ...said?.details,
      tool: name,
      timeoutMs: limit,
    })
    : new CallError("cancelled", own ?? `Cancelled ${quote(name)}: a signal came`, {
      ...said?.details,
      tool: name,
    });
}
