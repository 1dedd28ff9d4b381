import type { ModelRequest } from "../messages.ts";
import type { ModelApi } from "../model_api.ts";
import type { ModelFailure } from "../model_failure.ts";
import { MessageBuilder } from "./message_builder.ts";
import { type MessageParam, messageParams, type TextBlock, textBlocks } from "./message_params.ts";

/** The version of the API that the requests follow. */
const VERSION = "2023-06-01";

/** The longest answer to ask for first, in tokens. A model that allows less says so. */
const MAX_TOKENS = 32_000;

/** The smallest number in a refusal that can be a model's limit, in tokens. */
const MIN_LIMIT = 256;

/** The definition of a tool. */
interface ToolParam {
  name: string;
  description: string;
  input_schema: { type: "object"; [keyword: string]: unknown };
}

/** A request of Anthropic's Messages API, as far as it is used. */
export interface MessagesRequest {
  /** The model's id. */
  model: string;
  /** The longest answer, in tokens. */
  max_tokens: number;
  /** The system prompt. */
  system?: TextBlock[];
  /** User and assistant in turn. */
  messages: MessageParam[];
  /** Definitions of tools. */
  tools?: ToolParam[];
  /** The answer is streamed. */
  stream: true;
}

/** Anthropic's Messages API, streamed. */
export class AnthropicApi implements ModelApi {
  /** A tool result may have image blocks. */
  readonly takesImages = true;
  #maxTokens = MAX_TOKENS;

  /** Adds the path of messages, also to a base URL without a version. */
  url(base: string): string {
    return `${base}${base.endsWith("/v1") ? "" : "/v1"}/messages`;
  }

  /** The key and the version. */
  headers(key: string): Record<string, string> {
    return { "anthropic-version": VERSION, ...(key !== "" && { "x-api-key": key }) };
  }

  /** The body, which marks the conversation for the prompt cache. */
  body(model: string, { messages, tools = [] }: ModelRequest): MessagesRequest {
    const system = messages.flatMap((each) =>
      each.role === "system" ? textBlocks(each.content) : []
    );
    const params = messageParams(messages);
    for (const last of [system.at(-1), params.at(-1)?.content.at(-1)]) {
      // Each turn repeats the conversation, and a cached token costs a tenth.
      if (last?.type === "text" || last?.type === "tool_result") {
        last.cache_control = { type: "ephemeral" };
      }
    }
    return {
      ...{ model, max_tokens: this.#maxTokens },
      ...(system.length > 0 && { system }),
      messages: params,
      ...(tools.length > 0 && { tools: tools as unknown as ToolParam[] }),
      stream: true,
    };
  }

  /** A builder for the events of a stream, or for a whole message. */
  newBuilder(): MessageBuilder {
    return new MessageBuilder();
  }

  /** Takes the limit from a message such as `max_tokens: 32000 > 8192, which is the maximum`. */
  adapt({ details: { status, said = "" } }: ModelFailure): boolean {
    if (status !== 400 || !said.includes("max_tokens")) return false;
    const limits = (said.match(/\d+/g) ?? []).map(Number)
      .filter((number) => number >= MIN_LIMIT && number < this.#maxTokens);
    if (limits.length === 0) return false;
    this.#maxTokens = Math.max(...limits);
    return true;
  }
}
