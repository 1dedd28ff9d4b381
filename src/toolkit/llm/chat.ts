import { CallError } from "../../base/errors.ts";
import { delay } from "@std/async/delay";
import { providerKey } from "../provider/key.ts";
import { retryAfter } from "../provider/retry_after.ts";
import { serverMessage } from "../provider/server_message.ts";
import { quote } from "../../base/text/quote.ts";
import type { ToolContext } from "../../runner/registry/tool_context.ts";
import { redactKey, redactKeyInData } from "../../base/text/redact.ts";
import { beginningOf } from "./body_text.ts";
import type { Completion, FunctionTool, Message } from "./messages.ts";
import { isPassing, ModelFailure } from "./model_failure.ts";
import { type Model, modelFor, type ModelName } from "./models.ts";
import { readCompletion } from "./read_completion.ts";

/** How often a request is sent at most. */
const TRIES = 5;

/** How long is waited at most because a server asks for it, in milliseconds. */
const MAX_WAIT_MS = 60_000;

/** From which length on a key is one; shorter ones stand for none, as `none`, and are words. */
const MIN_KEY = 8;

/** What asking a model takes of a tool's context. */
export type ModelContext = Pick<ToolContext, "fetch" | "settings" | "signal">;

/** What one request asks. */
export interface ChatRequest {
  /** The conversation so far. */
  messages: readonly Message[];
  /** The tools that the model may call; none where nothing is said. */
  tools?: readonly FunctionTool[];
}

/** A model that can be asked. */
export class ChatModel {
  readonly #ctx: ModelContext;
  readonly #model: Model;
  readonly #key: string;
  #tellsUsage = true;

  private constructor(ctx: ModelContext, { model, key }: { model: Model; key: string }) {
    this.#ctx = ctx;
    this.#model = model;
    this.#key = key;
  }

  /** The model that the settings name for `name`. Throws `unavailable` when they name none. */
  static async open(ctx: ModelContext, name?: ModelName): Promise<ChatModel> {
    const model = modelFor(await ctx.settings.values(), name);
    return new ChatModel(ctx, { model, key: await providerKey(ctx, "model.key_variable") });
  }

  /**
   * Asks the model once. What may pass is tried up to five times: a status of 429,
   * 500, 502, 503, 504 or 529, a connection that fails, an answer that is cut off.
   * Throws an error that says what the server said, with the status as its cause,
   * and the signal's reason. The key is in no error, nor in what the model says.
   */
  async complete(request: ChatRequest): Promise<Completion> {
    const { signal } = this.#ctx;
    for (let tries = 1;; tries++) {
      try {
        signal.throwIfAborted();
        return await this.#ask(request);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ModelFailure)) throw error;
        if (this.#tellsUsage && refusesUsage(error)) {
          this.#tellsUsage = false;
          continue;
        }
        const { waitMs = backoff(tries), again } = error;
        if (!again || tries === TRIES || waitMs > MAX_WAIT_MS) throw this.#failed(error, tries);
        await delay(waitMs, { signal });
      }
    }
  }

  async #ask({ messages, tools = [] }: ChatRequest): Promise<Completion> {
    const response = await this.#send(JSON.stringify({
      model: this.#model.id,
      messages,
      // An empty list is refused by some servers.
      ...(tools.length > 0 && { tools }),
      stream: true,
      ...(this.#tellsUsage && { stream_options: { include_usage: true } }),
    }));
    const { status, headers } = response;
    if (status === 200) {
      const completion = await readCompletion(response, this.#ctx.signal);
      return this.#key.length < MIN_KEY ? completion : redactKeyInData(completion, this.#key);
    }
    const text = await beginningOf(response, { limit: 10_000, signal: this.#ctx.signal });
    const to = headers.get("location");
    throw new ModelFailure(`HTTP ${status}`, {
      again: isPassing(status),
      waitMs: isPassing(status) ? retryAfter(headers.get("retry-after")) : undefined,
      status,
      said: to !== null && status < 400 ? `it has moved to ${to}` : serverMessage(text),
    });
  }

  async #send(body: string): Promise<Response> {
    const headers = {
      "content-type": "application/json",
      accept: "text/event-stream, application/json",
      ...(this.#key && { authorization: `Bearer ${this.#key}` }),
    };
    const { signal } = this.#ctx;
    try {
      return await this.#ctx.fetch(this.#model.url, { method: "POST", headers, body, signal });
    } catch (error) {
      signal.throwIfAborted();
      // What the flags refuse, no later try changes.
      if (error instanceof CallError && error.code !== "tool_failed") throw error;
      const said = error instanceof Error ? error.message : String(error);
      throw new ModelFailure("no answer", { again: true, said });
    }
  }

  #failed({ message, said, status, again, waitMs = 0 }: ModelFailure, tries: number): Error {
    const { id, endpoint, keyVariable } = this.#model;
    const where = `the model ${quote(id)} at ${quote(endpoint)}`;
    const parts = [`Cannot get an answer from ${where}: ${this.#clean(message)}`];
    if (said) parts[0] += `, ${quote(this.#clean(said), 300)}`;
    if (again && waitMs > MAX_WAIT_MS) {
      const asked = Math.ceil(waitMs / 1000);
      parts.push(`it asks to wait ${asked} s, and at most ${MAX_WAIT_MS / 1000} s are waited`);
    } else if (tries > 1) parts.push(`tried ${tries} times`);
    if (status === 401 || status === 403) {
      const variable = keyVariable === undefined
        ? "no key was sent, since model.key_variable names no variable"
        : this.#key === ""
        ? `no key was sent, since the variable ${quote(keyVariable)} is not set`
        : `the key came from the variable ${quote(keyVariable)}`;
      parts.push(variable);
    }
    return new Error(parts.join("; "), { cause: status === undefined ? {} : { status } });
  }

  /** A server's words without the key, which it may repeat. */
  #clean(text: string): string {
    return redactKey(text, this.#key).replace(/\s+/g, " ").trim();
  }
}

/** How long to wait after so many tries, in milliseconds: from 0.5 s to 8 s, never all at once. */
function backoff(tries: number): number {
  const longest = Math.min(8_000, 500 * 2 ** tries);
  return longest / 2 + Math.random() * longest / 2;
}

/** Whether a server refuses a request because it asks for the usage, which not every one knows. */
function refusesUsage({ status, said }: ModelFailure): boolean {
  return (status === 400 || status === 422) && /stream_options|include_usage/.test(said ?? "");
}
