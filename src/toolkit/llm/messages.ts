/**
 * A conversation in the form of OpenAI's chat completions, with what other APIs need beside it.
 */

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
  /**
   * The blocks of Anthropic's API in their order, if some are neither text nor tool calls. The API
   * expects its signed reasoning back.
   */
  blocks?: Json[];
};

/** An image as base64, of a type that models take. */
export type Image = { data: string; mimeType: string };

/** The result of a tool call. */
export type ToolMessage = {
  role: "tool";
  tool_call_id: string;
  content: string;
  /** Set if the call failed. */
  is_error?: true;
  /** The images of the result, if the API takes images there. */
  images?: Image[];
};

/** A message of a conversation. */
export type Message =
  | { role: "system" | "user"; content: string }
  | AssistantMessage
  | ToolMessage;

/** The next request to a model. `tools` are definitions in the form of its API. */
export type ModelRequest = {
  messages: readonly Message[];
  tools?: readonly Record<string, unknown>[];
};

/** The tokens that a request read and wrote. `input` includes those of the cache. */
export type Usage = { input: number; output: number; cache?: { read: number; written: number } };

/** The answer to one request. */
export interface Completion {
  /** The model's message. */
  message: AssistantMessage;
  /**
   * OpenAI's `finish_reason`: `stop`, `tool_calls`, `length`, `content_filter`. `pause_turn` means
   * that the model goes on when the conversation is sent again.
   */
  finish: string;
  /** The tokens used, if the server reports them. */
  usage?: Usage;
  /** The reason for `content_filter`, if the server gives one. */
  refusal?: string;
}
