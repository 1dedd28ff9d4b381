import { imageOf } from "../../base/block_image.ts";
import { isObject } from "../../base/json/is_object.ts";
import { blockText } from "../../base/block_text.ts";
import { assistantContent } from "./assistant_message.ts";
import { argumentsOf, namedCall, shapes } from "./mcp.ts";
import {
  calledName,
  callId,
  findCalls,
  type ModelAnswer,
  type ModelCall,
  type ModelDialect,
} from "./model_dialect.ts";

/**
 * The AI SDK: a part of the type `tool-call`, an assistant message or the list of its content, or
 * `toolCalls`. Version 4 has the arguments under `args`. Source: `ToolCallPart` and `ToolResultPart`
 * of the package `ai`.
 */
export const aiSdk: ModelDialect = {
  find: (value) => findCalls(value, { isCall: isToolCall, listOf: assistantContent, callOf }),
  renderOne: toolResult,
  renderAll: (answers) => ({ role: "tool", content: answers.map(toolResult) }),
};

function isToolCall(value: unknown): value is Record<string, unknown> {
  return isObject(value) && value["type"] === "tool-call";
}

function callOf(value: Record<string, unknown>): ModelCall {
  return {
    id: callId(value["toolCallId"]),
    name: calledName(value["toolName"]),
    async read(reading) {
      const given = await argumentsOf(value, shapes.aiSdkToolCall, reading);
      return await namedCall(value["toolName"], given, { ...reading, takesText: false });
    },
  };
}

function toolResult({ id, name = "", result: { content, isError } }: ModelAnswer): unknown {
  const parts = content.map((block) => {
    const image = imageOf(block);
    return image === undefined
      ? {
        type: "text",
        text: blockText(block, "omitted: a tool result can contain only text and images"),
      }
      : { type: "file", data: { type: "data", data: image.data }, mediaType: image.mimeType };
  });
  const hasImage = parts.some(({ type }) => type === "file");
  const text = parts.map(({ text }) => text ?? "").join("\n");
  return {
    type: "tool-result",
    toolCallId: id,
    toolName: name,
    output: isError
      ? { type: "error-text", value: text }
      : hasImage
      ? { type: "content", value: parts }
      : { type: "text", value: text },
  };
}
