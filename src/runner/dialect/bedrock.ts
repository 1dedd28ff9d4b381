import { imageOf } from "../../base/block_image.ts";
import { isObject } from "../../base/json/is_object.ts";
import { blockText } from "../../base/block_text.ts";
import type { ContentBlock } from "../../base/content.ts";
import { assistantContent } from "./assistant_message.ts";
import { argumentsOf, describeType, malformed, namedCall, shapes } from "./mcp.ts";
import {
  callId,
  findCalls,
  type ModelAnswer,
  type ModelCall,
  type ModelDialect,
} from "./model_dialect.ts";

/**
 * Bedrock's Converse API: a block with `toolUse`, an assistant message or the list of its content,
 * or the whole response. Other blocks are ignored. Source: the API reference of Amazon Bedrock
 * Runtime, `ToolUseBlock` and `ToolResultBlock`.
 */
export const bedrock: ModelDialect = {
  find: (value) => findCalls(value, { isCall: isToolUse, listOf: assistantContent, callOf }),
  renderOne: toolResult,
  renderAll: (answers) => ({ role: "user", content: answers.map(toolResult) }),
};

function isToolUse(value: unknown): value is Record<string, unknown> {
  return isObject(value) && Object.hasOwn(value, "toolUse");
}

function callOf({ toolUse }: Record<string, unknown>): ModelCall {
  return {
    id: callId(isObject(toolUse) ? toolUse["toolUseId"] : undefined),
    async read(reading) {
      if (!isObject(toolUse)) {
        throw malformed(`"toolUse" is ${describeType(toolUse)}, not an object`);
      }
      const given = await argumentsOf(toolUse, shapes.bedrockToolUse, reading);
      return await namedCall(toolUse["name"], given, { ...reading, takesText: false });
    },
  };
}

function toolResult({ id, result: { content, isError } }: ModelAnswer): unknown {
  const status = isError ? "error" : "success";
  return { toolResult: { toolUseId: id, content: content.flatMap(toBlock), status } };
}

function toBlock(block: ContentBlock): unknown[] {
  const image = imageOf(block);
  if (image !== undefined) {
    const format = image.mimeType.slice("image/".length);
    // In JSON, the API takes bytes as base64.
    return [{ image: { format, source: { bytes: image.data } } }];
  }
  const text = blockText(block, "omitted: a tool result can contain only text and images");
  return text === "" ? [] : [{ text }];
}
