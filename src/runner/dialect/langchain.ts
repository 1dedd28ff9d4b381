import { isObject } from "../../base/json/is_object.ts";
import { argumentsOf, namedCall, shapes } from "./mcp.ts";
import {
  calledName,
  callId,
  type ModelAnswer,
  type ModelCall,
  type ModelDialect,
  toolText,
} from "./model_dialect.ts";

/** The names of the type of an assistant's message. */
const AI_TYPES = ["ai", "AIMessage", "AIMessageChunk"];

/**
 * LangChain: an `AIMessage` as a plain object or as `toJSON` writes it, or its list `tool_calls`. A
 * single call with the type `tool_call` is read as MCP's form of a call. Source: `AIMessage` and
 * `ToolMessage` of `@langchain/core`.
 */
export const langchain: ModelDialect = {
  find(value) {
    const list = Array.isArray(value) && value.length > 0 && value.every(isTyped)
      ? value
      : toolCallsOf(value);
    if (list === undefined || list.length === 0) return undefined;
    return { calls: list.map(callOf), isMessage: true };
  },
  renderOne: toolMessage,
  renderAll: (answers) => answers.map(toolMessage),
};

function isTyped(value: unknown): boolean {
  return isObject(value) && value["type"] === "tool_call";
}

function toolCallsOf(value: unknown): unknown[] | undefined {
  if (!isObject(value)) return undefined;
  const { lc, kwargs, id } = value;
  const isAi = (name: unknown) => typeof name === "string" && AI_TYPES.includes(name);
  const isSerialised = lc !== undefined && isObject(kwargs) && Array.isArray(id) &&
    isAi(id.at(-1));
  const message = isSerialised ? kwargs as Record<string, unknown> : value;
  if (!isSerialised && !isAi(message["type"])) return undefined;
  const list = message["tool_calls"];
  return Array.isArray(list) ? list : undefined;
}

function callOf(value: unknown): ModelCall {
  const call = isObject(value) ? value : {};
  return {
    id: callId(call["id"]),
    name: calledName(call["name"]),
    async read(reading) {
      const given = await argumentsOf(call, shapes.langchainToolCall, reading);
      return await namedCall(call["name"], given, { ...reading, takesText: false });
    },
  };
}

function toolMessage({ id, name = "", result }: ModelAnswer): unknown {
  return {
    type: "tool",
    name,
    tool_call_id: id,
    content: toolText(result),
    status: result.isError ? "error" : "success",
  };
}
