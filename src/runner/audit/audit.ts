/** Writes the line about a call to the log of `--audit`. */

import { show } from "../../base/terminal/screen.ts";
import { type AuditDetails, auditLine } from "./audit_line.ts";
import { LogFile } from "./log_file.ts";
import { redactAndCut } from "./log_value.ts";
import { CallError } from "../../base/errors.ts";
import { ignoreFileSizeSignal } from "../../base/fs/file_size_signal.ts";
import { delay } from "@std/async/delay";
import { quote } from "../../base/text/quote.ts";
import { osErrorMessage } from "../../base/os_error_message.ts";
import type { CallOptions, ToolCall } from "../call/call.ts";
import { CallWatch } from "../call/call_watch.ts";
import { type CallResult, exitCodeOf, failureOf, failureResult } from "../call/failure.ts";

/** The most bytes of a line. */
const MAX_LINE_BYTES = 2 ** 19;
/** The most characters of a session's or directory's name in a line. */
const MAX_NAME = 4_096;

/** The calls whose lines are not yet written. */
const open = new Set<Promise<unknown>>();

/** Executes a call with these options. */
type Run = (options: CallOptions) => Promise<CallResult>;

/**
 * Executes a call with `run` and writes its audit line. A background task gets its line at the
 * start, so none is written at its end. If the parent writes the line, the result carries the
 * details for it.
 */
export async function executeWithAudit(
  call: ToolCall,
  options: CallOptions,
  run: Run,
): Promise<CallResult> {
  if (options.output !== undefined) return await run(options);
  if (!options.auditedByParent) return await auditCall(call, options, run);
  const watch = new CallWatch(call, options);
  const result = await run(watch.options);
  return { ...result, _meta: { ...result._meta, [DETAILS_KEY]: watch.details(result) } };
}

/**
 * Executes a call with `run` and appends its audit line. If the log cannot be opened, nothing runs
 * and the result is the failure `unavailable`. If the line cannot be written at the end, the result
 * is kept and stderr gets a warning. Throws the errors of `run`.
 */
export async function auditCall(
  call: Partial<ToolCall>,
  options: CallOptions,
  run: Run,
): Promise<CallResult> {
  const [time, begun] = [new Date(), performance.now()];
  let log: LogFile;
  try {
    log = openLog(options);
  } catch (error) {
    return failureResult(failureOf(error));
  }
  // Otherwise a signal would end this process before the line is written.
  options.listeners.cancelSignal();
  const watch = new CallWatch(call, options);
  const written = Promise.withResolvers<void>();
  open.add(written.promise);
  const cut = (text: string) => redactAndCut(text, { mask: watch.mask, most: MAX_NAME });
  const write = async (result: CallResult, details: AuditDetails) => {
    const task = result._meta?.["toolcall/task"]?.id;
    const line = auditLine({
      time: time.toISOString(),
      ...details,
      code: result._meta?.["toolcall/error"]?.code ?? null,
      exit: exitCodeOf(result),
      pid: Deno.pid,
      ...(task !== undefined && { task }),
      ...(options.trace !== undefined && { trace: options.trace }),
      durationMs: Math.round(performance.now() - begun),
      session: cut(options.session),
      cwd: cut(options.cwd),
    });
    await append(log, line, options);
  };
  try {
    const { result, details } = splitDetails(await run(watch.options));
    await write(result, details ?? watch.details(result));
    return result;
  } catch (error) {
    const result = failureResult(failureFrom(error));
    await write(result, watch.details(result));
    throw error;
  } finally {
    log.close();
    open.delete(written.promise);
    written.resolve();
  }
}

/** Resolves when the lines of all running calls are written, or after `ms`. */
export async function waitForAudit(ms: number): Promise<void> {
  await Promise.race([Promise.all(open), delay(ms)]);
}

/** The options that decide how the log is opened. */
type LogOptions = Pick<CallOptions, "audit" | "auditMaxSize" | "limits" | "pool">;

/** Opens and closes the log. Throws `unavailable` if it cannot be opened. */
export function tryLog(options: LogOptions): void {
  openLog(options).close();
}

function openLog({ audit, auditMaxSize: rotateAt, limits, pool }: LogOptions): LogFile {
  try {
    const most = pool === undefined ? limits.fileSize : undefined;
    const log = LogFile.open(audit!, {
      room: MAX_LINE_BYTES,
      ...(most !== undefined && { most }),
      ...(rotateAt !== undefined && { rotateAt }),
    });
    ignoreFileSizeSignal();
    return log;
  } catch (error) {
    const what = `Cannot use the log ${quote(audit!, MAX_NAME)}: ${osErrorMessage(error)}`;
    throw new CallError("unavailable", what, { audit });
  }
}

async function append(log: LogFile, line: string, { audit, ask }: CallOptions): Promise<void> {
  const name = quote(audit!, MAX_NAME);
  let fault: string;
  try {
    if (await log.append(line)) return;
    fault = `The log ${name} is locked by another process; the line was written without waiting`;
  } catch (error) {
    fault = `Cannot write the record of a call to the log ${name}: ${osErrorMessage(error)}`;
  }
  await show(ask.screen, `toolcall: ${fault}\n`).catch(() => {});
}

/** The key of the details that a subprocess adds to its result, for the process that logs it. */
const DETAILS_KEY = "toolcall/audit" satisfies keyof NonNullable<CallResult["_meta"]>;

/** Splits the details that a subprocess added, if there are any, from a result. */
function splitDetails({ _meta, ...rest }: CallResult): {
  result: CallResult;
  details: AuditDetails | undefined;
} {
  const { [DETAILS_KEY]: details, ...meta } = _meta ?? {};
  return { result: { ...rest, ...(Object.keys(meta).length > 0 && { _meta: meta }) }, details };
}

/** Turns a thrown value into a failure, also the reason of an aborted signal. */
function failureFrom(error: unknown): CallError {
  const name = error instanceof Error || error instanceof DOMException ? error.name : "";
  if (error instanceof CallError || !/^(Abort|Timeout)Error$/.test(name)) return failureOf(error);
  return new CallError(name === "AbortError" ? "cancelled" : "timeout", "The call was ended");
}
