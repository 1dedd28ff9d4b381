/** The line that the log of `--audit` gets about a call. */

import { show } from "../../base/terminal/screen.ts";
import { auditLine, type Told } from "./audit_line.ts";
import { LogFile } from "./log_file.ts";
import { redactAndCut } from "./log_value.ts";
import { CallError } from "../../base/errors.ts";
import { ignoreFileSizeSignal } from "../../base/fs/file_size_signal.ts";
import { delay } from "@std/async/delay";
import { quote } from "../../base/text/quote.ts";
import { osErrorMessage } from "../../base/os_error_message.ts";
import type { Settings, ToolCall } from "../call/call.ts";
import { CallWatch } from "../call/call_watch.ts";
import { type CallResult, exitCodeOf, failureOf, failureResult } from "../call/failure.ts";

/** More than any line is long, in bytes. */
const ROOM = 2 ** 19;
/** How much of a session's or folder's name a line has, in characters. */
const MAX_NAME = 4_096;

/** The calls whose lines are not written yet. */
const open = new Set<Promise<unknown>>();

/** Answers a call under settings. Throws only where its caller does. */
type Run = (settings: Settings) => Promise<CallResult>;

/**
 * Answers a call of this process's own by `run`, with its line. The end of a background task
 * has none, its start had; and what this process answers for another of ours, that one logs,
 * by what the result tells it.
 */
export async function auditedAnswer(
  call: ToolCall,
  settings: Settings,
  run: Run,
): Promise<CallResult> {
  if (settings.output !== undefined) return await run(settings);
  if (!settings.isPart) return await audited(call, settings, run);
  const watch = new CallWatch(call, settings);
  const result = await run(watch.settings);
  return { ...result, _meta: { ...result._meta, "toolcall/audit": watch.told(result) } };
}

/**
 * Answers a call by `run` and appends the line about it. The file is opened first: when it
 * cannot be, nothing runs, and the call fails as `unavailable`. When the line cannot be
 * written at the end, the result stays, and stderr says so. Throws what `run` throws.
 */
export async function audited(
  call: Partial<ToolCall>,
  settings: Settings,
  run: Run,
): Promise<CallResult> {
  const [time, begun] = [new Date(), performance.now()];
  let log: LogFile;
  try {
    log = openLog(settings);
  } catch (error) {
    return failureResult(failureOf(error));
  }
  // A signal that would end this process at once would end it without the line.
  settings.onCancel(() => {});
  const watch = new CallWatch(call, settings);
  const written = Promise.withResolvers<void>();
  open.add(written.promise);
  const write = async (result: CallResult, told: Told) => {
    const record = recordOf(result, told);
    const [session, cwd] = [settings.session, settings.cwd].map((text) =>
      redactAndCut(text, { mask: watch.mask, most: MAX_NAME })
    ) as [string, string];
    const durationMs = Math.round(performance.now() - begun);
    const line = auditLine({ time: time.toISOString(), ...record, durationMs, session, cwd });
    await append(log, line, settings);
  };
  try {
    const answered = await run(watch.settings);
    const { told, ...result } = apart(answered);
    await write(result, told ?? watch.told(result));
    return result;
  } catch (error) {
    const result = failureResult(failureFrom(error));
    await write(result, watch.told(result));
    throw error;
  } finally {
    log.close();
    open.delete(written.promise);
    written.resolve();
  }
}

/** Resolves when every call has its line that runs now, for a process that is to end; or after `ms`. */
export async function allLogged(ms: number): Promise<void> {
  await Promise.race([Promise.all(open), delay(ms)]);
}

/** Opens the log and closes it again. Throws `unavailable` when it cannot be opened. */
export function tryLog(settings: Pick<Settings, "audit" | "limits" | "pool">): void {
  openLog(settings).close();
}

function openLog({ audit, limits, pool }: Pick<Settings, "audit" | "limits" | "pool">): LogFile {
  try {
    const most = pool === undefined ? limits.fileSize : undefined;
    const log = LogFile.open(audit!, { room: ROOM, ...(most !== undefined && { most }) });
    ignoreFileSizeSignal();
    return log;
  } catch (error) {
    const why = osErrorMessage(error);
    throw new CallError("unavailable", `Cannot use the log ${quote(audit!, MAX_NAME)}: ${why}`, {
      audit,
    });
  }
}

async function append(log: LogFile, line: string, { audit, ask }: Settings): Promise<void> {
  const name = quote(audit!, MAX_NAME);
  try {
    if (await log.append(line)) return;
    await tell(
      `The log ${name} is locked by another process; the line was written without waiting`,
    );
  } catch (error) {
    await tell(`Cannot write the line about a call to the log ${name}: ${osErrorMessage(error)}`);
  }

  async function tell(text: string): Promise<void> {
    await show(ask.screen, `toolcall: ${text}\n`).catch(() => {});
  }
}

function recordOf(result: CallResult, told: Told) {
  const task = result._meta?.["toolcall/task"]?.id;
  return {
    ...told,
    code: result._meta?.["toolcall/error"]?.code ?? null,
    exit: exitCodeOf(result),
    pid: Deno.pid,
    ...(task !== undefined && { task }),
  };
}

/** A result without what a process of ours told in it for the log. */
function apart({ _meta, ...result }: CallResult): CallResult & { told?: Told } {
  if (_meta === undefined) return result;
  const { "toolcall/audit": told, ...meta } = _meta;
  return {
    ...result,
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
    ...(told !== undefined && { told }),
  };
}

/** The failure that a throw comes to: of a signal's reason too. */
function failureFrom(error: unknown): CallError {
  const name = error instanceof Error || error instanceof DOMException ? error.name : "";
  if (error instanceof CallError || !/^(Abort|Timeout)Error$/.test(name)) return failureOf(error);
  return new CallError(name === "AbortError" ? "cancelled" : "timeout", "The call was ended");
}
