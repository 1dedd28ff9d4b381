import { blockText } from "../../../base/block_text.ts";
import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import type { CallResult } from "../../call/failure.ts";
import { ownEnvironment } from "../../own_environment.ts";
import type { Program } from "../../program.ts";
import { servicesOf } from "./context.ts";
import type { Executor } from "./executor.ts";
import { ownCommand, runOwnProcess } from "./own_process.ts";
import { printToStderr, type Reports, takeReport } from "./prints.ts";
import { endedEarly } from "./start_failure.ts";

/**
 * Runs a call in another process of this program, which has the same `flags` and answers only that
 * call. A long-lived process needs it for what the kernel restricts, because that is for good.
 */
export function subprocessExecutor(
  options: { program: Program; flags: readonly string[] },
): Executor {
  return {
    async run(job, { signal, serve, onPrint }) {
      const call = { name: job.tool, arguments: job.args };
      const onProgress = job.isFollowed ? servicesOf(serve).progress : undefined;
      const counted = { ...options, isCounted: true, onProgress, ...(onPrint && { onPrint }) };
      const { content, structuredContent, _meta } = await ownCall(call, counted, signal);
      const { "toolcall/error": error, "toolcall/ended": ended } = _meta ?? {};
      if (error !== undefined) {
        const { code, ...details } = error;
        const message = content.map((block) => blockText(block)).join("\n");
        throw new CallError(code, message, details, content);
      }
      if (structuredContent === undefined && ended === undefined) return content;
      return {
        content,
        ...(structuredContent !== undefined && { structuredContent }),
        ...(ended !== undefined && { meta: { "toolcall/ended": ended } }),
      };
    },
    enforcesTimeout: true,
    close() {},
  };
}

/**
 * Executes a call in another process of this program that has these flags, because a process enters
 * a sandbox only once and for good. That process validates and authorises the call again. Aborting
 * `signal` cancels the call there. A call that `isCounted` is not counted there. `onProgress` takes
 * each line of progress that the call reports, and `onPrint` what its tool prints. When no answer
 * comes, throws the signal's reason or `unavailable`.
 */
export async function ownCall(
  call: { name: string; arguments: Record<string, unknown> },
  { flags, isCounted = false, onProgress, onPrint = printToStderr, program }:
    & Partial<Reports>
    & { program: Program; flags: readonly string[]; isCounted?: boolean },
  signal: AbortSignal,
): Promise<CallResult> {
  const own = String(Deno.pid);
  const env = ownEnvironment({
    ...(isCounted && { countedBy: own }),
    ...(onProgress && { readsProgress: own }),
    readsPrints: own,
  });
  const text = await runOwnProcess([...ownCommand(program), ...flags, "call", "--format=mcp"], {
    ...{ input: JSON.stringify(call), env, signal },
    takeLine: (line) => takeReport(line, { onProgress, onPrint }),
  });
  try {
    const result = JSON.parse(text);
    if (Array.isArray(result.content)) return result;
  } catch { /* said below */ }
  signal.throwIfAborted();
  throw endedEarly(`The call of ${quote(call.name)}`);
}
