import { CallError, type FailureCode } from "../../../base/errors.ts";
import { blockText } from "../../../base/block_text.ts";
import type { Executor, ExecutorOutput, Job, RunOptions } from "./executor.ts";
import type { Program } from "../../program.ts";
import { ownCall, type OwnResult } from "./own_call.ts";
import { servicesOf } from "./services.ts";

/**
 * Runs a call in another process of this program, which has the same `flags` and answers only that
 * call. A long-lived process needs it for what the kernel restricts, because that is for good.
 */
export function subprocessExecutor(
  options: { program: Program; flags: readonly string[] },
): Executor {
  const run = async (job: Job, { signal, serve, onPrint }: RunOptions): Promise<ExecutorOutput> => {
    const call = { name: job.tool, arguments: job.args };
    const onProgress = job.isFollowed ? servicesOf(serve).progress : undefined;
    const counted = { ...options, isCounted: true, onProgress, ...(onPrint && { onPrint }) };
    const { content, structuredContent, _meta } = await ownCall(call, counted, signal) as Printed;
    const error = _meta?.["toolcall/error"];
    if (error === undefined) {
      const ended = _meta?.["toolcall/ended"];
      const output = structuredContent === undefined ? { content } : { content, structuredContent };
      if (ended !== undefined) return { ...output, meta: { "toolcall/ended": ended } };
      return structuredContent === undefined ? content : { content, structuredContent };
    }
    const { code, ...details } = error;
    const message = content.map((block) => blockText(block)).join("\n");
    throw new CallError(code, message, details, content);
  };
  return { run, enforcesTimeout: true, close() {} };
}

/** The part of the process's result that is used here. */
type Printed = OwnResult & {
  structuredContent?: Record<string, unknown>;
  _meta?: {
    "toolcall/error"?: { code: FailureCode } & Record<string, unknown>;
    "toolcall/ended"?: string[];
  };
};
