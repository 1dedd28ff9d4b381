import { CallError } from "../../../base/errors.ts";
import type { Program } from "../../program.ts";
import { quote } from "../../../base/text/quote.ts";
import type { ContentBlock } from "../../../base/content.ts";
import { ownCommand, runOwnProcess } from "./own_process.ts";
import { printToStderr } from "./prints.ts";
import { type Reports, takeReport } from "./progress_line.ts";
import { ownEnvironment } from "../../own_environment.ts";

/** The output of such a process: a result, as its caller knows it. */
export type OwnResult = { content: ContentBlock[] } & Record<string, unknown>;

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
): Promise<OwnResult> {
  const [path, ...args] = ownCommand(program);
  const command: [string, ...string[]] = [path, ...args, ...flags, "call"];
  const own = String(Deno.pid);
  const env = ownEnvironment({
    ...(isCounted && { countedBy: own }),
    ...(onProgress && { readsProgress: own }),
    readsPrints: own,
  });
  const text = await runOwnProcess(command, {
    ...{ input: JSON.stringify(call), env, signal },
    takeLine: (line) => takeReport(line, { onProgress, onPrint }),
  });
  try {
    const result = JSON.parse(text);
    if (Array.isArray(result.content)) return result;
  } catch { /* said below */ }
  signal.throwIfAborted();
  throw new CallError("unavailable", `The call of ${quote(call.name)} ended without an answer`);
}
