import type { Message, ModelRequest } from "../messages.ts";
import type { ModelApi } from "../model_api.ts";
import type { ModelFailure } from "../model_failure.ts";
import { ChatCompletionBuilder } from "./chat_completion.ts";

/** OpenAI's chat completions, streamed. */
export class OpenAiApi implements ModelApi {
  /** The API takes only text in the result of a tool. */
  readonly takesImages = false;
  #tellsUsage = true;

  /** Adds the path of chat completions. */
  url(base: string): string {
    return `${base}/chat/completions`;
  }

  /** The key as a bearer token. */
  headers(key: string): Record<string, string> {
    return key === "" ? {} : { authorization: `Bearer ${key}` };
  }

  /** The body without the fields of other APIs, which strict servers refuse. */
  body(model: string, { messages, tools = [] }: ModelRequest): unknown {
    return {
      model,
      messages: messages.flatMap(chatMessage),
      // Some servers refuse an empty list.
      ...(tools.length > 0 && { tools }),
      stream: true,
      ...(this.#tellsUsage && { stream_options: { include_usage: true } }),
    };
  }

  /** A builder for chunks, or for a whole completion. */
  newBuilder(): ChatCompletionBuilder {
    return new ChatCompletionBuilder();
  }

  /** Leaves out the option for usage, which some servers do not know. */
  adapt({ details: { status, said } }: ModelFailure): boolean {
    const refusesUsage = (status === 400 || status === 422) &&
      /stream_options|include_usage/.test(said ?? "");
    if (!this.#tellsUsage || !refusesUsage) return false;
    this.#tellsUsage = false;
    return true;
  }
}

function chatMessage(message: Message): Message[] {
  if (message.role === "tool") {
    const { role, tool_call_id, content } = message;
    return [{ role, tool_call_id, content }];
  }
  if (message.role !== "assistant" || message.blocks === undefined) return [message];
  const { blocks: _, ...rest } = message;
  // A message of blocks may have neither text nor calls.
  return rest.content === null && rest.tool_calls === undefined ? [] : [rest];
}
