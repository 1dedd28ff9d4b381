import { quote } from "../../base/text/quote.ts";
import type { InnerTool } from "../../runner/registry/services.ts";
import type { AssistantMessage, FunctionCall } from "./messages.ts";
import type { ToolSet } from "./tool_set.ts";

/** A call of a model's, found and parsed, or why it cannot be run. */
export type PlannedCall =
  & { id: string; name: string }
  & ({ tool: InnerTool; args: Record<string, unknown> } | { problem: string });

/** The longest name of a tool that the API takes. */
const NAME_LENGTH = 64;

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
  return name.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, NAME_LENGTH) || "_";
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
