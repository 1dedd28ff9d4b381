import { blockText } from "../../base/block_text.ts";
import { imageOf } from "../../base/block_image.ts";
import type { InnerResult, InnerTool } from "../../runner/registry/services.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { parseExactJson } from "../../base/json/exact_json.ts";
import { isObject } from "../../base/json/is_object.ts";
import { quote } from "../../base/text/quote.ts";
import type { AssistantMessage, FunctionCall, Image } from "./messages.ts";

/** The most calls that run at the same time; each is a process. */
const MAX_AT_ONCE = 8;

/** The tools that a model is offered, by their names, which the API has to accept. */
export type ToolSet = ReadonlyMap<string, InnerTool>;

/** The part of a tool's context that nested calls need. */
export type CallingContext = Pick<ToolContext, "call" | "signal">;

/** The result of a call, as a model gets it. */
export interface CallOutput {
  /** The text. A failure begins with `Error: `, because chat completions have no flag. */
  text: string;
  /** Whether the call failed. */
  isError: boolean;
  /** The images, which the text names too. */
  images: Image[];
}

/**
 * Runs the calls of one turn in `session` and returns their results. They run at the same
 * time if all of them only read, else one after the other. Rejects with the signal's reason at once
 * when the signal is aborted.
 */
export async function runCalls(
  calls: readonly PlannedCall[],
  { ctx, session }: { ctx: CallingContext; session: string },
): Promise<CallOutput[]> {
  const onlyReads = calls.every((call) => "problem" in call || call.tool.readOnly);
  const answers: CallOutput[] = [];
  const rest = calls.entries();
  const work = async () => {
    for (const [place, call] of rest) {
      if ("problem" in call) {
        answers[place] = { text: `Error: ${call.problem}`, isError: true, images: [] };
      } else {
        const result = ctx.call({ name: call.tool.name, arguments: call.args, session });
        answers[place] = outputOf(await unlessAborted(result, ctx.signal));
      }
    }
  };
  await Promise.all(Array.from({ length: onlyReads ? MAX_AT_ONCE : 1 }, work));
  return answers;
}

function outputOf({ content, isError }: InnerResult): CallOutput {
  const text = content.map((block) => blockText(block)).join("\n");
  return {
    text: `${isError ? "Error: " : ""}${text || "[The tool returned no content]"}`,
    isError,
    images: content.flatMap((block) => imageOf(block) ?? []),
  };
}

/** A model's call with its tool and parsed arguments, or the reason why it cannot run. */
export type PlannedCall =
  & { id: string; name: string }
  & ({ tool: InnerTool; args: Record<string, unknown> } | { problem: string });

/** The longest name of a tool that the API takes. */
const MAX_NAME = 64;

/** The most calls of one turn that are run; the others get an error as their result. */
const MAX_CALLS = 128;

/** Finds the tool of each call among those that were offered, and parses its arguments. */
export function planCalls(
  calls: readonly FunctionCall[],
  tools: ToolSet,
): Promise<PlannedCall[]> {
  return Promise.all(calls.map(async ({ id, function: { name, arguments: text } }, place) => {
    const failed = (problem: string) => ({ id, name, problem });
    if (place >= MAX_CALLS) {
      return failed(`This call was not run: a turn has ${MAX_CALLS} calls at most; make it again`);
    }
    const tool = tools.get(name);
    if (tool === undefined) return failed(await unknownTool(name, tools));
    const args = argumentsIn(text);
    return typeof args === "string"
      ? failed(`Cannot call ${quote(name)}: ${args}; call it again with one`)
      : { id, name, tool, args };
  }));
}

/**
 * The message with calls that every server accepts in a conversation. Some servers answer 400 or 500
 * if a call has arguments that are not JSON, or an unusual name.
 */
export function withSoundCalls(message: AssistantMessage): AssistantMessage {
  if (message.tool_calls === undefined) return message;
  const calls = message.tool_calls.map((call) => {
    const { name, arguments: text } = call.function;
    const isSound = text.trim() !== "" && typeof argumentsIn(text) !== "string";
    const soundName = name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, MAX_NAME) || "_";
    return { ...call, function: { name: soundName, arguments: isSound ? text : "{}" } };
  });
  return { ...message, tool_calls: calls };
}

/** The parsed arguments, or the fault in their text. */
function argumentsIn(text: string): Record<string, unknown> | string {
  // Some servers send an empty text for a call without arguments.
  if (text.trim() === "") return {};
  const were = `; they were ${quote(text, 500)}, which must be a JSON object`;
  try {
    const value = parseExactJson(text);
    if (value === null) return {};
    return isObject(value) ? value : `its arguments are not an object${were}`;
  } catch (error) {
    return `its arguments are not JSON that can be used: the text ${
      (error as Error).message
    }${were}`;
  }
}

async function unknownTool(name: string, tools: ToolSet): Promise<string> {
  const { nearest } = await import("../../base/text/nearest.ts");
  const { unprefixedNames } = await import("../../base/text/prefixed_names.ts");
  const known = [...tools.keys()];
  const meant = unprefixedNames(name);
  const near = meant.find((each) => tools.has(each)) ?? nearest(meant.at(-1)!, known);
  const fix = near === undefined ? "call one of the offered tools" : `did you mean ${quote(near)}?`;
  return `Unknown tool ${quote(name)}; ${fix}`;
}

/** The result of `work`. Rejects with the signal's reason as soon as the signal is aborted. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
