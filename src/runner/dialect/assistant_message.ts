import { isObject } from "../../base/json/is_object.ts";
import { malformed } from "./mcp.ts";

/**
 * The assistant's message in a value: the value itself, or the message in the whole response of an
 * API. OpenAI, Mistral and LiteLLM have it under `choices`, Cohere and Ollama under `message`, and
 * Bedrock under `output`. Undefined for any other value. Throws `malformed_call` for several choices.
 */
export function assistantMessage(value: unknown): Record<string, unknown> | undefined {
  if (!isObject(value)) return undefined;
  if (value["role"] === "assistant") return value;
  const { choices, output } = value;
  if (Array.isArray(choices)) {
    const messages = choices.flatMap((choice) => isObject(choice) ? assistantIn(choice) : []);
    if (messages.length > 1) {
      throw malformed(`the response has ${messages.length} choices; pass one of their messages`);
    }
    return messages[0];
  }
  return assistantIn(isObject(output) ? output : value)[0];
}

/** The list of content in an assistant's message, or a bare list. Undefined for any other value. */
export function assistantContent(value: unknown): unknown[] | undefined {
  const content = Array.isArray(value) ? value : assistantMessage(value)?.["content"];
  return Array.isArray(content) ? content : undefined;
}

function assistantIn({ message }: Record<string, unknown>): Record<string, unknown>[] {
  return isObject(message) && message["role"] === "assistant" ? [message] : [];
}
