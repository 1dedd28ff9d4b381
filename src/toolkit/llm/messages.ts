/** A conversation as OpenAI's chat completions write it, as far as it is used here. */

import type { Json } from "../../runner/registry/services.ts";

/** A tool call that a model makes. */
export type FunctionCall = {
  /** What its answer refers to. */
  id: string;
  type: "function";
  /** The name, as it was offered, and the arguments as JSON text. */
  function: { name: string; arguments: string };
  /** What some servers want back with the call, such as a signature of the model's thoughts. */
  extra_content?: Json;
};

/** What a model says. */
export type AssistantMessage = {
  role: "assistant";
  /** Its text; `null` where it only calls tools. */
  content: string | null;
  /** Its tool calls, at least one. */
  tool_calls?: FunctionCall[];
  /** Its thoughts, which the servers that tell them want back beside the tool calls. */
  reasoning_content?: string;
};

/** What a tool call was answered with. */
export type ToolMessage = { role: "tool"; tool_call_id: string; content: string };

/** One message of a conversation. */
export type Message =
  | { role: "system" | "user"; content: string }
  | AssistantMessage
  | ToolMessage;

/** A tool that is offered to a model. */
export interface FunctionTool {
  /** The only kind there is here. */
  type: "function";
  /** Its name, of at most 64 of `[A-Za-z0-9_-]`, what it does, and the schema of its arguments. */
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

/** Tokens that were used. */
export interface Usage {
  /** Tokens that were read. */
  input: number;
  /** Tokens that were written. */
  output: number;
}

/** What one request came to. */
export interface Completion {
  /** What the model said. */
  message: AssistantMessage;
  /** Why it ended there, in the server's word: `stop`, `tool_calls`, `length`, `content_filter`. */
  finish: string;
  /** What it took, when the server tells. */
  usage?: Usage;
}
