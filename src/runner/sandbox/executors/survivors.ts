/** The note of a result on the programs that a command left running, and that ended with it. */

import { CallError } from "../../../base/errors.ts";
import type { ToolOutput } from "../../../base/content.ts";
import type { ExecutorOutput } from "./executor.ts";

/** The most programs that are named, and the length of each command line that is shown. */
const [MAX_SHOWN, MAX_CHARACTERS] = [3, 100];

/**
 * The output of a command with the `survivors` that were ended with it. `mayStay` says whether the
 * tool can run a command in the background instead.
 */
export function withEnded(
  output: ToolOutput,
  survivors: readonly string[],
  mayStay: boolean,
): ExecutorOutput {
  const names = namesOf(survivors);
  const line = lineOn(survivors, mayStay);
  const { content, ...rest } = typeof output === "string" || Array.isArray(output)
    ? { content: output }
    : output;
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  const [first, ...others] = blocks;
  const joined = first?.type === "text"
    ? [{ ...first, text: withLine(first.text, line) }, ...others]
    : [...blocks, { type: "text" as const, text: line }];
  return { ...rest, content: joined, meta: { "toolcall/ended": names } };
}

/** The same for a command that failed. */
export function withEndedFailure(
  { code, message, details }: CallError,
  survivors: readonly string[],
  mayStay: boolean,
): CallError {
  const text = withLine(message, lineOn(survivors, mayStay));
  return new CallError(code, text, { ...details, ended: namesOf(survivors) });
}

/** The command lines of the first ones, for a program. */
function namesOf(survivors: readonly string[]): string[] {
  return survivors.slice(0, MAX_SHOWN).map((each) =>
    each.length > MAX_CHARACTERS ? `${each.slice(0, MAX_CHARACTERS)}…` : each
  );
}

/** The line for a model. */
function lineOn(survivors: readonly string[], mayStay: boolean): string {
  const more = survivors.length > MAX_SHOWN ? `; ${survivors.length - MAX_SHOWN} more` : "";
  const keep = survivors.length > 1 ? "keep them running" : "keep it running";
  const hint = mayStay ? `; use run_in_background to ${keep}` : "";
  return `[Ended with the command: ${namesOf(survivors).join("; ")}${more}${hint}]`;
}

function withLine(text: string, line: string): string {
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${line}`;
}
