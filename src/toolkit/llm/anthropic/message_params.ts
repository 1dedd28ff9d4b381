import { isObject } from "../../../base/json/is_object.ts";
import { parseJson } from "../../../base/json/parse_json.ts";
import type { Json } from "../../../runner/registry/services.ts";
import type { AssistantMessage, FunctionCall, Image, Message, ToolMessage } from "../messages.ts";

/** Marks the end of the part that later requests repeat. */
type Cached = { cache_control?: { type: "ephemeral" } };

/** A text. It is never empty or only white space, which the API refuses. */
export type TextBlock = { type: "text"; text: string } & Cached;

/** A call of a tool. */
type ToolUse = { type: "tool_use"; id: string; name: string; input: Record<string, unknown> };

/** The types of images that the API takes. */
type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

/** An image. */
type ImageBlock = {
  type: "image";
  source: { type: "base64"; media_type: ImageType; data: string };
};

/** The result of a call. */
type ToolResult = {
  type: "tool_result";
  tool_use_id: string;
  content: (TextBlock | ImageBlock)[];
  is_error?: true;
} & Cached;

/** A block that the API gave and expects back unchanged, such as signed reasoning. */
type KeptBlock = { type: "thinking"; thinking: string; signature: string };

/** A block of a request. */
type Block = TextBlock | ToolUse | ToolResult | KeptBlock;

/** A message of a request. */
export interface MessageParam {
  /** The speaker. Results of tools belong to the user. */
  role: "user" | "assistant";
  /** At least one block. */
  content: Block[];
}

/**
 * The messages of a conversation except the system prompt. Neighbours with the same role become one:
 * the API expects all results of a turn in the message after its calls.
 */
export function messageParams(messages: readonly Message[]): MessageParam[] {
  const params: MessageParam[] = [];
  for (const message of messages) {
    if (message.role === "system") continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const content = blocksOf(message);
    const last = params.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) params.push({ role, content });
  }
  return params;
}

/** A text as a block, or nothing for white space. */
export function textBlocks(text: string): TextBlock[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

function blocksOf(message: Message): Block[] {
  if (message.role === "assistant") return assistantBlocks(message);
  if (message.role === "tool") return [toolResult(message)];
  return message.content.trim() === ""
    ? [shownBlank(message.content)]
    : textBlocks(message.content);
}

function assistantBlocks({ content, tool_calls = [], blocks }: AssistantMessage): Block[] {
  if (blocks === undefined) return [...textBlocks(content ?? ""), ...tool_calls.map(toolUse)];
  const calls = new Map(tool_calls.map((call) => [call.id, call]));
  return blocks.flatMap((block: Json): Block[] => {
    if (!isObject(block)) return [];
    if (block["type"] === "text") return textBlocks(String(block["text"]));
    if (block["type"] !== "tool_use") return [block as KeptBlock];
    // Arguments may have been shortened since.
    const call = calls.get(String(block["id"]));
    return call === undefined ? [] : [toolUse(call)];
  });
}

function toolUse({ id, function: { name, arguments: text } }: FunctionCall): ToolUse {
  const input = parseJson(text);
  return { type: "tool_use", id: soundId(id), name, input: isObject(input) ? input : {} };
}

function toolResult({ tool_call_id, content, is_error, images = [] }: ToolMessage): ToolResult {
  const text = content.trim() === "" ? [shownBlank(content)] : textBlocks(content);
  return {
    type: "tool_result",
    tool_use_id: soundId(tool_call_id),
    content: [...text, ...images.map(imageBlock)],
    ...(is_error && { is_error }),
  };
}

function imageBlock({ data, mimeType }: Image): ImageBlock {
  return { type: "image", source: { type: "base64", media_type: mimeType as ImageType, data } };
}

/** White space in a form that the API takes. */
function shownBlank(text: string): TextBlock {
  return { type: "text", text: `[white space: ${JSON.stringify(text)}]` };
}

/** An id that the API takes. A conversation may have begun with another API. */
function soundId(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, "_");
}
