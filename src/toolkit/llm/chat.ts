import { retryAfter } from "../../base/retryable.ts";
import { backoffMs, withRetries } from "../../base/async/retry.ts";
import { CallError } from "../../base/errors.ts";
import { providerKey } from "../provider/provider_settings.ts";
import { serverMessage } from "../provider/error_response.ts";
import { quote } from "../../base/text/quote.ts";
import type { ModelApiName } from "../../runner/registry/services.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { redactKey, redactKeyInData } from "../../base/text/redact.ts";
import { readBeginning, readCompletion } from "./read_completion.ts";
import type { Completion, ModelRequest } from "./messages.ts";
import { AnthropicApi } from "./anthropic/messages_api.ts";
import type { ModelApi } from "./model_api.ts";
import { OpenAiApi } from "./openai/chat_api.ts";
import { isRetryableStatus, ModelFailure } from "./model_failure.ts";
import { type Model, modelFor, type ModelName } from "./models.ts";

/** The most times that one request is sent. */
const MAX_TRIES = 5;

/** The longest wait that a server may ask for, in milliseconds. */
const MAX_WAIT_MS = 60_000;

/** The length of the shortest real key. Shorter values are placeholders such as `none`. */
const MIN_KEY = 8;

/** The part of a tool's context that a request to a model needs. */
export type ModelContext = Pick<ToolContext, "fetch" | "settings" | "signal">;

/** The API of that name, for the requests of one client. */
export function newModelApi(name: ModelApiName): ModelApi {
  return name === "anthropic" ? new AnthropicApi() : new OpenAiApi();
}

/** The client of a model. */
export class ChatModel {
  readonly #ctx: ModelContext;
  readonly #model: Model;
  readonly #key: string;
  readonly #url: string;
  /** The API that the model has. */
  readonly api: ModelApi;

  private constructor(ctx: ModelContext, { model, key }: { model: Model; key: string }) {
    this.#ctx = ctx;
    this.#model = model;
    this.#key = key;
    this.api = newModelApi(model.api);
    this.#url = this.api.url(model.endpoint);
  }

  /** The name of the API. */
  get apiName(): ModelApiName {
    return this.#model.api;
  }

  /** The client of the model that the settings name for `name`. Throws `unavailable` if they name none. */
  static async open(ctx: ModelContext, name?: ModelName): Promise<ChatModel> {
    const model = modelFor(await ctx.settings.values(), name);
    return new ChatModel(ctx, { model, key: await providerKey(ctx, "model.key_variable") });
  }

  /**
   * Sends one request to the model. A temporary failure is retried, with up to five tries in all: a
   * status of 429, 500, 502, 503, 504 or 529, a failed connection, a truncated answer. Throws an
   * error with the server's message, whose cause has the status, and the signal's reason. The key
   * is removed from errors and from the model's answer.
   */
  async complete(request: ModelRequest): Promise<Completion> {
    const { signal } = this.#ctx;
    const attempt = () => {
      signal.throwIfAborted();
      return this.#ask(request);
    };
    const pauseAfter = (error: unknown, tries: number) => this.#pauseAfter(error, tries);
    return await withRetries(attempt, { pauseAfter, signal });
  }

  /** The pause before the next request, in milliseconds. Throws if there is no further request. */
  #pauseAfter(error: unknown, tries: number): number {
    this.#ctx.signal.throwIfAborted();
    if (!(error instanceof ModelFailure)) throw error;
    if (this.api.adapt(error)) return 0;
    const { again, waitMs = backoffMs(tries, { firstMs: 1000, minShare: 0.5 }) } = error.details;
    if (!again || tries >= MAX_TRIES || waitMs > MAX_WAIT_MS) throw this.#failed(error, tries);
    return waitMs;
  }

  async #ask(request: ModelRequest): Promise<Completion> {
    const response = await this.#send(JSON.stringify(this.api.body(this.#model.id, request)));
    const { status, headers } = response;
    if (status === 200) {
      const [builder, { signal }] = [this.api.newBuilder(), this.#ctx];
      const completion = await readCompletion(response, { builder, signal });
      return this.#key.length < MIN_KEY ? completion : redactKeyInData(completion, this.#key);
    }
    const text = await readBeginning(response, { limit: 10_000, signal: this.#ctx.signal });
    const to = headers.get("location");
    const again = isRetryableStatus(status);
    const waitMs = again ? retryAfter(headers.get("retry-after")) : undefined;
    const said = to !== null && status < 400 ? `it has moved to ${to}` : serverMessage(text);
    throw new ModelFailure(`HTTP ${status}`, { again, waitMs, status, said });
  }

  async #send(body: string): Promise<Response> {
    const headers = {
      "content-type": "application/json",
      accept: "text/event-stream, application/json",
      ...this.api.headers(this.#key),
    };
    const { signal } = this.#ctx;
    try {
      return await this.#ctx.fetch(this.#url, { method: "POST", headers, body, signal });
    } catch (error) {
      signal.throwIfAborted();
      // A retry cannot change a refusal by the flags.
      if (error instanceof CallError && error.code !== "tool_failed") throw error;
      const said = error instanceof Error ? error.message : String(error);
      throw new ModelFailure("no answer", { again: true, said });
    }
  }

  #failed({ message, details }: ModelFailure, tries: number): Error {
    const { said, status, again, waitMs = 0 } = details;
    const { id, endpoint, keyVariable } = this.#model;
    const where = `the model ${quote(id)} at ${quote(endpoint)}`;
    const parts = [`Cannot get an answer from ${where}: ${this.#clean(message)}`];
    if (said) parts[0] += `, ${quote(this.#clean(said), 300)}`;
    if (again && waitMs > MAX_WAIT_MS) {
      const asked = Math.ceil(waitMs / 1000);
      parts.push(`it asks for a wait of ${asked} s; the maximum is ${MAX_WAIT_MS / 1000} s`);
    } else if (tries > 1) parts.push(`tried ${tries} times`);
    if (status === 401 || status === 403) {
      const variable = keyVariable === undefined
        ? "no key was sent, because model.key_variable is not set"
        : this.#key === ""
        ? `no key was sent, because the variable ${quote(keyVariable)} is not set`
        : `the key came from the variable ${quote(keyVariable)}`;
      parts.push(variable);
    } else if (status === 404) {
      parts.push(
        `the request went to ${quote(this.#url)}, as the setting model.api is ${this.#model.api}`,
      );
    }
    return new Error(parts.join("; "), { cause: status === undefined ? {} : { status } });
  }

  /** A server's message on one line, without the key, which it may repeat. */
  #clean(text: string): string {
    return redactKey(text, this.#key).replace(/\s+/g, " ").trim();
  }
}

/**
 * The model's answer to one prompt, without tools. Throws `unavailable` if the settings name no
 * model, an error if there is no answer, it is empty or refused, and the signal's reason. A note is added to
 * an answer that was truncated at its length limit.
 */
export async function complete(
  ctx: ModelContext,
  { system, prompt, model }: { system: string; prompt: string; model?: ModelName },
): Promise<string> {
  const chat = await ChatModel.open(ctx, model);
  const { message, finish, refusal } = await chat.complete({
    messages: [{ role: "system", content: system }, { role: "user", content: prompt }],
  });
  const text = message.content?.trim() ?? "";
  if (text === "") {
    const why = finish === "content_filter"
      ? refusedBecause(refusal)
      : "the model's answer was empty";
    throw new Error(`Cannot answer the prompt: ${why}`);
  }
  return finish === "length" ? `${text}\n\n[The model's answer was cut at its length limit]` : text;
}

/** The end of a sentence for an answer that a filter stopped. */
export function refusedBecause(reason: string | undefined): string {
  return `the model's answer was stopped by a filter${reason === undefined ? "" : `: ${reason}`}`;
}
