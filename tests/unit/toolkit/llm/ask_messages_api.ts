/** Asks a model with the client of Anthropic's API. */
import type { FetchRequest } from "../../../../src/runner/registry/services.ts";
import { ChatModel } from "../../../../src/toolkit/llm/chat.ts";
import type { Message } from "../../../../src/toolkit/llm/messages.ts";
import { type MessagesAnswer, messagesServer } from "../../../support/messages_server.ts";

export const key = "sk-ant-api03-secret8Zq";
export const prompt: Message[] = [{ role: "system", content: "Be brief" }, {
  role: "user",
  content: "Hi",
}];

export function contextFor(endpoint: string, more: Record<string, string> = {}) {
  const values = {
    ...{ "model.endpoint": endpoint, "model.api": "anthropic", "model.default": "claude" },
    ...{ "model.key_variable": "ANTHROPIC_API_KEY", ...more },
  };
  const no = () => Promise.reject(new Error("Not needed here"));
  return {
    signal: new AbortController().signal,
    fetch: (url: string, request: FetchRequest = {}) =>
      fetch(url, { redirect: "manual", ...request }),
    settings: {
      values: () => Promise.resolve(values),
      secret: () => Promise.resolve(key),
      ...{ get: no, set: no, configured: no, configure: no },
    },
  };
}

export async function ask(
  given: readonly MessagesAnswer[],
  { messages = prompt, ...limits }: { messages?: Message[]; maxTokens?: number } = {},
) {
  await using server = messagesServer(given, { key, ...limits });
  const model = await ChatModel.open(contextFor(server.endpoint));
  const outcome = await model.complete({ messages }).then(
    (completion) => ({ completion, error: "" }),
    (error: Error) => ({ completion: undefined, error: error.message }),
  );
  return { ...outcome, asked: server.asked, refusals: server.refusals };
}
