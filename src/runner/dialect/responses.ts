import { imageOf } from "../../base/block_image.ts";
import { isObject } from "../../base/json/is_object.ts";
import { blockText } from "../../base/block_text.ts";
import { shapes, textCall, unknownCallType } from "./mcp.ts";
import {
  callId,
  findCalls,
  type FoundCalls,
  type ModelAnswer,
  type ModelDialect,
} from "./model_dialect.ts";

/** The call of a tool that takes a text of any form. */
const CUSTOM = "custom_tool_call";

/**
 * OpenAI's Responses: a function call, the array `output`, or the response that contains it. Calls
 * of custom tools are answered with an error. Other items, such as messages and reasoning, are
 * ignored.
 */
export const responses: ModelDialect = {
  find: (value) => findCalls(value, { isCall, listOf: outputOf, callOf }),
  renderOne: output,
  renderAll: (answers) => answers.map(output),
};

function outputOf(value: unknown): unknown[] | undefined {
  const items = isObject(value) && value["object"] === "response" ? value["output"] : value;
  return Array.isArray(items) && items.every(isItem) ? items : undefined;
}

/** A content block of Anthropic's is never beside a function call. */
function isItem(value: unknown): boolean {
  return isObject(value) && typeof value["type"] === "string" && value["type"] !== "tool_use";
}

function isCall(value: unknown): value is Record<string, unknown> {
  return isObject(value) && ["function_call", CUSTOM].includes(value["type"] as string);
}

function callOf(value: Record<string, unknown>): FoundCalls["calls"][number] {
  const { type, call_id: given } = value;
  const id = callId(given);
  if (type === CUSTOM) return { id, isCustom: true, failure: unknownCallType(type) };
  return { id, read: (reading) => textCall(value, shapes.functionCall, reading) };
}

/** An output is a text, or a list of parts if it has images. Neither form can mark a failure. */
function output({ id, isCustom, result: { content, isError } }: ModelAnswer): unknown {
  const parts = content.map((block) => {
    const image = imageOf(block);
    return image === undefined
      ? {
        type: "input_text",
        text: blockText(block, "omitted: an output can contain only text and images"),
      }
      : {
        type: "input_image",
        detail: "auto",
        image_url: `data:${image.mimeType};base64,${image.data}`,
      };
  });
  if (isError) parts.unshift({ type: "input_text", text: "Error: " });
  const texts = parts.map((part) => part.text);
  const joined = isError ? `Error: ${texts.slice(1).join("\n")}` : texts.join("\n");
  return {
    type: isCustom ? `${CUSTOM}_output` : "function_call_output",
    call_id: id,
    output: texts.includes(undefined) ? parts : joined,
  };
}
