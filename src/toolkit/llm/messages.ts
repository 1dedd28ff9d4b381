/** The used part of a conversation in OpenAI's chat completions. */

import type { Json } from "../../runner/registry/services.ts";

/** A tool call that a model makes. */
export type FunctionCall = {
  /** The id that its answer refers to. */
  id: string;
  type: "function";
  /** The name, as it was offered, and the arguments as JSON text. */
  function: { name: string; arguments: string };
  /** Data that some servers expect back with the call, such as a signature of the reasoning. */
  extra_content?: Json;
};

/** A message from a model. */
export type AssistantMessage = {
  role: "assistant";
  /** Its text; `null` if it only calls tools. */
  content: string | null;
  /** Its tool calls, at least one. */
  tool_calls?: FunctionCall[];
  /** Its reasoning. Servers that return it expect it back beside the tool calls. */
  reasoning_content?: string;
};

/** A message of a conversation. */
export type Message =
  | { role: "system" | "user"; content: string }
  | AssistantMessage
  | { role: "tool"; tool_call_id: string; content: string };

/** A tool that is offered to a model: `parameters` is the schema of its arguments. */
export type FunctionTool = {
  type: "function";
  /** The name has at most 64 of `[A-Za-z0-9_-]`. */
  function: { name: string; description: string; parameters: Record<string, unknown> };
};

/** The tokens that a request read and wrote. */
export type Usage = { input: number; output: number };

/** The answer to one request. */
export interface Completion {
  /** The model's message. */
  message: AssistantMessage;
  /** The server's `finish_reason`: `stop`, `tool_calls`, `length`, `content_filter`. */
  finish: string;
  /** The tokens used, if the server reports them. */
  usage?: Usage;
}
