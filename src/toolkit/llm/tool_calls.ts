import { blockText } from "../../base/block_text.ts";
import type { InnerResult, InnerTool } from "../../runner/registry/services.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { quote } from "../../base/text/quote.ts";
import type { AssistantMessage, FunctionCall } from "./messages.ts";
import type { ToolSet } from "./tool_set.ts";

/** How many calls run at the same time at most; each is a process. */
const MAX_AT_ONCE = 8;

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
  await Promise.all(Array.from({ length: onlyReads ? MAX_AT_ONCE : 1 }, work));
  return answers;
}

/** An answer as a tool message carries it: as text, which carries no error flag either. */
function textOf({ content, isError }: InnerResult): string {
  const text = content.map((block) => blockText(block)).join("\n");
  return `${isError ? "Error: " : ""}${text || "[The tool answered with nothing]"}`;
}

/** A call of a model's, found and parsed, or why it cannot be run. */
export type PlannedCall =
  & { id: string; name: string }
  & ({ tool: InnerTool; args: Record<string, unknown> } | { problem: string });

/** The longest name of a tool that the API takes. */
const MAX_NAME = 64;

/** How many calls of one turn are run; what is over that is answered with why not. */
const MAX_CALLS = 128;

/** Finds the tool of each call among those that were offered, and parses its arguments. */
export function planCalls(
  calls: readonly FunctionCall[],
  tools: ToolSet,
): Promise<PlannedCall[]> {
  return Promise.all(calls.map(async ({ id, function: { name, arguments: text } }, place) => {
    if (place >= MAX_CALLS) {
      const problem = `This call was not run: a turn has ${MAX_CALLS} calls at most; make it again`;
      return { id, name, problem };
    }
    const tool = tools.get(name);
    if (tool === undefined) return { id, name, problem: await unknownTool(name, tools) };
    const args = argumentsIn(text);
    return typeof args === "string"
      ? { id, name, problem: `Cannot call ${quote(name)}: ${args}; call it again with one` }
      : { id, name, tool, args };
  }));
}

/**
 * The message with calls that every server takes back: some answer 400 or 500 for
 * good when one in the conversation has arguments that are not JSON, or a strange name.
 */
export function withSoundCalls(message: AssistantMessage): AssistantMessage {
  if (message.tool_calls === undefined) return message;
  const calls = message.tool_calls.map((call) => {
    const { name, arguments: text } = call.function;
    const isSound = text.trim() !== "" && typeof argumentsIn(text) !== "string";
    return { ...call, function: { name: apiName(name), arguments: isSound ? text : "{}" } };
  });
  return { ...message, tool_calls: calls };
}

/** A name that the API accepts, whatever name a model has called. */
function apiName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, MAX_NAME) || "_";
}

/** The arguments, or what is wrong with their text. */
function argumentsIn(text: string): Record<string, unknown> | string {
  // Some servers say nothing where there are none.
  if (text.trim() === "") return {};
  const were = `; they were ${quote(text, 500)}, which must be a JSON object`;
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? { ...value } : `its arguments are no object${were}`;
  } catch (error) {
    return `its arguments are not JSON (${(error as Error).message})${were}`;
  }
}

async function unknownTool(name: string, tools: ToolSet): Promise<string> {
  const { nearest } = await import("../../base/text/nearest.ts");
  const near = nearest(name, tools.names());
  const fix = near === undefined ? "call one that was offered" : `the nearest is ${quote(near)}`;
  return `There is no tool ${quote(name)} here; ${fix}`;
}

/** What the work gives. Rejects with the signal's reason, without waiting, when that is aborted. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
