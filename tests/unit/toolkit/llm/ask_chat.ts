/** Asks a model with the client of chat completions. */
import type { FetchRequest, SettingValues } from "../../../../src/runner/registry/services.ts";
import { ChatModel } from "../../../../src/toolkit/llm/chat.ts";
import type { Completion, Message } from "../../../../src/toolkit/llm/messages.ts";
import { type Answer, modelServer, streamed } from "../../../support/model_server.ts";

/** The key of the model in each failure. */
export const key = "sk-proj-Zx81qLmW0secret7TtR";
/** The messages of each request. */
export const messages: Message[] = [{ role: "user", content: "Say hello" }];

/** The options of a context. */
interface Options {
  key?: string;
  signal?: AbortSignal;
  /** Whether the fetch ignores the signal. */
  ignoresSignal?: boolean;
  values?: SettingValues;
  /** Takes the name of each event while a body is read. */
  onBody?: (event: "part" | "end") => void;
}

/** A context whose fetch is real. */
export function contextFor(endpoint: string, options: Options = {}) {
  const values = {
    ...{ "model.endpoint": endpoint, "model.default": "llama", "model.key_variable": "LLAMA_KEY" },
    ...options.values,
  };
  return {
    signal: options.signal ?? new AbortController().signal,
    async fetch(url: string, { signal, ...request }: FetchRequest = {}) {
      const cancellation = options.ignoresSignal || signal === undefined ? {} : { signal };
      const response = await fetch(url, { redirect: "manual", ...request, ...cancellation });
      const { onBody } = options;
      return onBody === undefined ? response : observed(response, onBody);
    },
    settings: {
      values: () => Promise.resolve(values),
      get: (name: keyof typeof values) => Promise.resolve(values[name]),
      set: () => Promise.reject(new Error("Nothing is set here")),
      secret: () => Promise.resolve(options.key),
      configured: () => Promise.reject(new Error("Not needed here")),
      configure: () => Promise.reject(new Error("Not needed here")),
    },
  };
}

/** A response whose body reports the parts that are read, and its end. */
function observed(response: Response, onBody: (event: "part" | "end") => void): Response {
  const observer = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(part, controller) {
      controller.enqueue(part);
      onBody("part");
    },
    flush: () => onBody("end"),
  });
  return new Response(response.body!.pipeThrough(observer), response);
}

/** Asks a model whose server gives these answers. */
export async function ask(...answers: Answer[]): Promise<Completion & { requests: number }> {
  await using server = modelServer(...answers);
  const model = await ChatModel.open(contextFor(server.endpoint));
  const completion = await model.complete({ messages });
  return { ...completion, requests: server.asked.length };
}

/** The message of the error of such a model, and the number of requests. */
export async function failure(
  ...answers: Answer[]
): Promise<{ message: string; requests: number }> {
  await using server = modelServer(...answers);
  const model = await ChatModel.open(contextFor(server.endpoint, { key }));
  const message = await model.complete({ messages }).then(
    (answer) => `no failure but ${JSON.stringify(answer).slice(0, 200)}`,
    (error) => error.message,
  );
  return { message, requests: server.asked.length };
}

/** A response in JSON. */
export const json = (value: unknown, type = "application/json"): Answer => () =>
  new Response(JSON.stringify(value), { headers: { "content-type": type } });
/** A response that is streamed. */
export const stream = (text: string, step?: number): Answer => () => streamed(text, step);
