import { isObject } from "../../base/json/is_object.ts";
import { blockText } from "../../base/block_text.ts";
import { argumentsOf, describeType, malformed, shapes, textCall, unknownCallType } from "./mcp.ts";
import { callId, type FoundCalls, type ModelAnswer, type ModelDialect } from "./model_dialect.ts";

/** OpenAI's chat completions: a tool call, a message with `tool_calls`, or the array of them. */
export const openai: ModelDialect = {
  find(value) {
    if (isToolCall(value)) return { calls: [callOf(value)], isMessage: false };
    const list = Array.isArray(value) && value.every(isEntry) ? value : toolCallsOf(value);
    if (list === undefined || list.length === 0) return undefined;
    return { calls: list.map(callOf), isMessage: true };
  },
  renderOne: toolMessage,
  renderAll: (answers) => answers.map(toolMessage),
};

function toolCallsOf(value: unknown): unknown[] | undefined {
  if (!isObject(value) || value["role"] !== "assistant") return undefined;
  const list = value["tool_calls"];
  return Array.isArray(list) ? list : undefined;
}

/** Some servers omit the type. */
function isToolCall(value: unknown): value is Record<string, unknown> {
  return isObject(value) && Object.hasOwn(value, "function") &&
    (value["type"] === "function" || !Object.hasOwn(value, "type"));
}

/** Whether an item shows that a bare list has tool calls. In a message, every item is one. */
function isEntry(value: unknown): boolean {
  return isToolCall(value) || isObject(value) && value["type"] === "custom" && "custom" in value;
}

/** A call of another type, such as `custom`, is answered with an error. */
function callOf(value: unknown): FoundCalls["calls"][number] {
  const { id: given, type } = isObject(value) ? value : {};
  const id = callId(given);
  if (!isToolCall(value)) return { id, failure: unknownCallType(type) };
  return {
    id,
    async read(reading) {
      const { value: called } = await argumentsOf(value, shapes.toolCall, reading);
      if (!isObject(called)) {
        throw malformed(`"function" is ${describeType(called)}, not an object`);
      }
      return await textCall(called, shapes.function, reading);
    },
  };
}

/** A tool message has only text and cannot mark a failure. */
function toolMessage({ id, result: { content, isError } }: ModelAnswer): unknown {
  const text = content.map((block) =>
    blockText(block, "omitted: a tool message can contain only text")
  )
    .join("\n");
  return { role: "tool", tool_call_id: id, content: isError ? `Error: ${text}` : text };
}
