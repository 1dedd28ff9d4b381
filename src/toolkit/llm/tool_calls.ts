import { blockText } from "../../base/block_text.ts";
import type { InnerResult } from "../../runner/registry/services.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import type { PlannedCall } from "./planned_call.ts";
import { unlessAborted } from "./signals.ts";

/** How many calls run at the same time at most; each is a process. */
const AT_ONCE = 8;

/** What running calls takes of a tool's context. */
export type CallingContext = Pick<ToolContext, "call" | "signal">;

/**
 * Runs the calls of one turn in `session` and gives what each was answered with as
 * text: at the same time when every one only reads, else one after the other.
 * Rejects with the signal's reason at once when that is aborted.
 */
export async function runCalls(
  calls: readonly PlannedCall[],
  { ctx, session }: { ctx: CallingContext; session: string },
): Promise<string[]> {
  const onlyReads = calls.every((call) => "problem" in call || call.tool.readOnly);
  const answers: string[] = [];
  const rest = calls.entries();
  const work = async () => {
    for (const [place, call] of rest) {
      answers[place] = "problem" in call ? `Error: ${call.problem}` : textOf(
        await unlessAborted(
          ctx.call({ name: call.tool.name, arguments: call.args, session }),
          ctx.signal,
        ),
      );
    }
  };
  await Promise.all(Array.from({ length: onlyReads ? AT_ONCE : 1 }, work));
  return answers;
}

/** An answer as a tool message carries it: as text, which carries no error flag either. */
function textOf({ content, isError }: InnerResult): string {
  const text = content.map((block) => blockText(block)).join("\n");
  return `${isError ? "Error: " : ""}${text || "[The tool answered with nothing]"}`;
}
