import { imageOf } from "../../base/block_image.ts";
import { isObject } from "../../base/json/is_object.ts";
import { blockText } from "../../base/block_text.ts";
import { itemOutput } from "./item_output.ts";
import { shapes, textCall, unknownCallType } from "./mcp.ts";
import {
  callId,
  findCalls,
  type FoundCalls,
  type ModelAnswer,
  type ModelDialect,
} from "./model_dialect.ts";
import { callItem, isHosted, isVendorItem, readVendorItem } from "./vendor_items.ts";
import { isWaitingItem, waitingItem } from "./waiting_item.ts";

/** The call of a tool that takes any string. */
const CUSTOM = "custom_tool_call";

/**
 * OpenAI's Responses: a call, the array `output`, or the response that contains it. Calls are those of
 * functions and of the tools that OpenAI defines. Calls of other custom tools, and items that wait for
 * somebody else, are answered with an error. Other items, such as messages and reasoning, are
 * ignored.
 */
export const responses: ModelDialect = {
  find: (value) => findCalls(value, { isCall, listOf: outputOf, callOf }),
  renderOne: output,
  renderAll: (answers) => answers.map(output),
};

/** The items of a list that may need an answer: the vendor has answered its own ones. */
function outputOf(value: unknown): unknown[] | undefined {
  const items = isObject(value) && value["object"] === "response" ? value["output"] : value;
  if (!Array.isArray(items) || !items.every(isItem)) return undefined;
  const answered = new Set<unknown>(items.map(answeredId).filter((id) => id !== undefined));
  return items.filter((item) => !isHosted(item) && !answered.has(item["call_id"] ?? item["id"]));
}

/** The id of the item that an item answers. */
function answeredId(item: Record<string, unknown>): unknown {
  const { type, call_id: call, id, approval_request_id: request } = item;
  if (type === "mcp_approval_response") return request;
  return String(type).endsWith("_output") ? call ?? id : undefined;
}

/** A content block of Anthropic's is never beside a function call. */
function isItem(value: unknown): value is Record<string, unknown> {
  return isObject(value) && typeof value["type"] === "string" && value["type"] !== "tool_use";
}

function isCall(value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) return false;
  return ["function_call", CUSTOM].includes(value["type"] as string) || isVendorItem(value) ||
    isWaitingItem(value);
}

function callOf(value: Record<string, unknown>): FoundCalls["calls"][number] {
  const { type, call_id: given, id: own } = value;
  const id = callId(given ?? own);
  if (isVendorItem(value)) {
    return { id, item: callItem(value), read: (reading) => readVendorItem(value, reading) };
  }
  if (type === CUSTOM) return { id, item: callItem(value), failure: unknownCallType(type) };
  if (type !== "function_call") return { id, item: { type: "other" }, failure: waitingItem(value) };
  return { id: callId(given), read: (reading) => textCall(value, shapes.functionCall, reading) };
}

function output({ id, item, result }: ModelAnswer): unknown {
  if (item !== undefined && item.type !== CUSTOM) return itemOutput(item, id, result);
  return {
    type: item === undefined ? "function_call_output" : `${CUSTOM}_output`,
    call_id: id,
    output: textOrParts(result),
    ...item?.repeated,
  };
}

/** An output is a string, or a list of parts if it has images. Neither form can mark a failure. */
function textOrParts({ content, isError }: ModelAnswer["result"]): unknown {
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
  return texts.includes(undefined) ? parts : joined;
}
