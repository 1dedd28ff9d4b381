import { CallError } from "../call_error.ts";
import type { ContentBlock } from "../registry/define.ts";
import { isUnrestricted } from "../sandbox/grants.ts";
import type { Job, Running } from "../sandbox/job.ts";
import type { Prepared, Settings } from "./answer.ts";

/** A tool's time limit where it declares none, in milliseconds. */
const DEFAULT_TIMEOUT_MS = 30_000;

/** How long a tool may take to end what it started once it is told to stop, in milliseconds. */
const GRACE_MS = 2_500;

/**
 * Runs a call that was authorised: in place when nothing has to be enforced,
 * else in a Worker that has the flags' permissions. Throws {@link CallError},
 * also when the time limit passes or the call is cancelled; by then the tool
 * has ended or been stopped.
 */
export async function run(
  prepared: Prepared,
  settings: Settings,
): Promise<ContentBlock[]> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = prepared.definition;
  const limit = typeof timeoutMs === "number" ? timeoutMs : timeoutMs(prepared.args);
  const stop = new AbortController();
  const cancel = () => stop.abort(new DOMException("The call was cancelled", "AbortError"));
  settings.signal.addEventListener("abort", cancel);
  const timer = setTimeout(
    () =>
      stop.abort(
        new DOMException(
          `The time limit of ${limit} ms passed`,
          "TimeoutError",
        ),
      ),
    limit,
  );
  if (settings.signal.aborted) cancel();
  const running = await start(prepared, settings, stop.signal);
  try {
    const content = await Promise.race([running.content, overdue(stop.signal)]);
    return typeof content === "string" ? [{ type: "text", text: content }] : content;
  } catch (error) {
    throw stop.signal.aborted ? interrupted(error, prepared, stop.signal) : error;
  } finally {
    clearTimeout(timer);
    settings.signal.removeEventListener("abort", cancel);
    running.stop();
  }
}

async function start(
  { tool, definition, args, decisions, paths }: Prepared,
  settings: Settings,
  signal: AbortSignal,
): Promise<Running> {
  const { cwd, grants, programFolder } = settings;
  const job: Job = { tool: tool.metadata.name, args, cwd, paths, grants };
  if (isUnrestricted(grants)) {
    const { runInPlace } = await import("../sandbox/in_place.ts");
    return runInPlace(definition, job, { signal, programFolder });
  }
  const { runInWorker } = await import("../sandbox/worker.ts");
  const needs = decisions.map(({ permission }) => permission);
  return runInWorker(job, {
    ...settings,
    signal,
    needs,
    kinds: definition.permissions.kinds,
  });
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
  { tool }: Prepared,
  signal: AbortSignal,
): CallError {
  const reason = signal.reason as DOMException;
  const code = reason.name === "TimeoutError" ? "timeout" : "cancelled";
  const said = error instanceof CallError && error.code === "tool_failed" ? error : undefined;
  const own = said !== undefined && said.message !== reason.message;
  return new CallError(
    code,
    own ? said.message : `Cannot finish ${tool.metadata.name}: ${lowerFirst(reason.message)}`,
    { ...said?.details, tool: tool.metadata.name },
  );
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
