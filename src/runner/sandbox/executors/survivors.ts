import { CallError } from "../../../base/errors.ts";
import type { ToolOutput } from "../../../base/content.ts";
import type { ExecutorOutput } from "./executor.ts";

/** The most programs that are named, and the length of each command line that is shown. */
const [MAX_SHOWN, MAX_CHARACTERS] = [3, 100];

/**
 * The programs that were ended with a command: the line for a model, and the command lines for a
 * program.
 */
export interface EndedPrograms {
  /** The line. */
  text: string;
  /** The command lines of the first three. */
  names: string[];
}

/**
 * The note on the programs that a command left running. `mayStay` says whether the tool can run a
 * command in the background instead.
 */
export function endedWith(
  commands: readonly string[],
  mayStay: boolean,
): EndedPrograms | undefined {
  if (commands.length === 0) return undefined;
  const names = commands.slice(0, MAX_SHOWN).map((each) =>
    each.length > MAX_CHARACTERS ? `${each.slice(0, MAX_CHARACTERS)}…` : each
  );
  const more = commands.length > MAX_SHOWN ? `; ${commands.length - MAX_SHOWN} more` : "";
  const keep = commands.length > 1 ? "keep them running" : "keep it running";
  const hint = mayStay ? `; use run_in_background to ${keep}` : "";
  return { text: `[Ended with the command: ${names.join("; ")}${more}${hint}]`, names };
}

/** The output of a command with what was ended with it, if anything was. */
export function withEnded(output: ToolOutput, ended: EndedPrograms | undefined): ExecutorOutput {
  if (ended === undefined) return output;
  const { content, ...rest } = typeof output === "string" || Array.isArray(output)
    ? { content: output }
    : output;
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  const [first, ...others] = blocks;
  const joined = first?.type === "text"
    ? [{ ...first, text: withLine(first.text, ended.text) }, ...others]
    : [...blocks, { type: "text" as const, text: ended.text }];
  return { ...rest, content: joined, meta: { "toolcall/ended": ended.names } };
}

/** The same for a command that failed. */
export function withEndedFailure(
  failure: CallError,
  ended: EndedPrograms | undefined,
): CallError {
  if (ended === undefined) return failure;
  const details = { ...failure.details, ended: ended.names };
  return new CallError(failure.code, withLine(failure.message, ended.text), details);
}

function withLine(text: string, line: string): string {
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${line}`;
}
