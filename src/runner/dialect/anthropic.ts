import { imageOf } from "../../base/block_image.ts";
import { isObject } from "../../base/json/is_object.ts";
import { blockText } from "../../base/block_text.ts";
import type { ContentBlock } from "../../base/content.ts";
import type { ToolCall } from "../call/call.ts";
import type { Reading } from "./incoming.ts";
import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { argumentsOf, namedCall, shapes, shown } from "./mcp.ts";
import {
  callId,
  findCalls,
  type FoundCalls,
  type ModelAnswer,
  type ModelDialect,
} from "./model_dialect.ts";

/**
 * Anthropic's messages: a `tool_use` block, an assistant message, or the array of its
 * content. Blocks of other types, such as text, thinking and what the server runs, are
 * passed over.
 */
export const anthropic: ModelDialect = {
  find: (value) => findCalls(value, { isCall: isToolUse, listOf: contentOf, callOf }),
  renderOne: toolResult,
  renderAll: (answers) => ({ role: "user", content: answers.map(toolResult) }),
};

function contentOf(value: unknown): unknown[] | undefined {
  const blocks = isObject(value) && value["role"] === "assistant" ? value["content"] : value;
  return Array.isArray(blocks) && blocks.every(isBlock) ? blocks : undefined;
}

/** The lists of OpenAI's APIs never contain a `tool_use`. */
function isBlock(value: unknown): boolean {
  const type = isObject(value) && value["type"];
  return typeof type === "string" && !["function", "function_call"].includes(type);
}

function isToolUse(value: unknown): value is Record<string, unknown> {
  return isObject(value) && value["type"] === "tool_use";
}

function callOf(value: Record<string, unknown>): FoundCalls["calls"][number] {
  const { id: given, toolset_name: toolset } = value;
  const id = callId(given);
  if (typeof toolset === "string") return { id, failure: toolsetCall(toolset, value["name"]) };
  return {
    id,
    async read(reading) {
      const given = await argumentsOf(value, shapes.toolUse, reading);
      const call = await namedCall(value["name"], given, { ...reading, takesText: false });
      return isVendorBash(call) ? await inSession(call, reading) : call;
    },
  };
}

/** Whether a call is one of the bash that Anthropic defines, by its name and its arguments. */
function isVendorBash({ name, arguments: args }: ToolCall): boolean {
  return name === "bash" && Object.keys(args).length > 0 &&
    Object.keys(args).every((key) => key === "command" || key === "restart");
}

/** The session of such calls if no flag names one. */
const USUAL_SESSION = "default";

/** The same call in the shell of the session. A configured tool gets it as it is. */
async function inSession(call: ToolCall, { bash }: Reading): Promise<ToolCall> {
  if (bash === undefined || !await bash.hasSessions()) return call;
  const { session = USUAL_SESSION } = bash;
  return { ...call, arguments: { ...call.arguments, session } };
}

/** The error for a call of a toolset, such as the browser's. Only its own program has the tools. */
function toolsetCall(toolset: string, name: unknown): CallError {
  return new CallError(
    "malformed_call",
    `Cannot answer the call of ${shown(name)}: it belongs to the toolset ${quote(toolset, 100)} ` +
      "and waits for the program that controls it; answer it with a tool_result of that program",
    { toolset: toolset.slice(0, 100) },
  );
}

function toolResult({ id, result: { content, isError } }: ModelAnswer): unknown {
  const blocks = content.flatMap(toBlock);
  return {
    type: "tool_result",
    tool_use_id: id,
    // The API rejects an empty list and an empty text.
    ...(blocks.length > 0 && { content: blocks }),
    is_error: isError,
  };
}

function toBlock(block: ContentBlock): unknown[] {
  const image = imageOf(block);
  if (image !== undefined) {
    const source = { type: "base64", media_type: image.mimeType, data: image.data };
    return [{ type: "image", source }];
  }
  const text = blockText(block, "omitted: a tool result can contain only text and images");
  if (text === "") return [];
  // The API rejects text that is only white space.
  return [{
    type: "text",
    text: text.trim() === "" ? `[white space: ${JSON.stringify(text)}]` : text,
  }];
}
