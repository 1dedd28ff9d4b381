import { quote } from "../../base/text/quote.ts";
import type { Json, Store } from "../../runner/registry/services.ts";
import type { Message } from "./messages.ts";
import type { ModelName } from "./models.ts";

/** How long a conversation can be resumed, in days. */
const KEPT_DAYS = 30;

/** A conversation in the store. */
interface Kept {
  /** An id of the call that resumed it last. */
  run: string;
  model: ModelName | null;
  /** All messages except the system prompt. */
  messages: Message[];
}

/** An agent's conversation, stored between calls under the agent's id. */
export class Conversation {
  readonly #run = crypto.randomUUID();
  readonly #store: Store;
  /** The agent's id. */
  readonly id: string;
  /** The messages so far, without the system prompt. */
  readonly messages: Message[];
  /** The model's name in tool calls; undefined for the default model. */
  readonly model: ModelName | undefined;

  private constructor(
    store: Store,
    { id, messages, model }: Pick<Conversation, "id" | "messages" | "model">,
  ) {
    this.#store = store;
    this.id = id;
    this.messages = messages;
    this.model = model;
  }

  /**
   * Starts a conversation with a prompt, or resumes that of the agent `resume`. The agent's model
   * stays unless another is named. Throws for an unknown agent.
   */
  static async open(
    store: Store,
    { prompt, resume, model }: {
      prompt: string;
      resume?: string | undefined;
      model?: ModelName | undefined;
    },
  ): Promise<Conversation> {
    if (resume === undefined) {
      const id = `agent_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`;
      return new Conversation(store, { id, model, messages: [{ role: "user", content: prompt }] });
    }
    const kept = await store.get(resume) as unknown as Kept | undefined;
    if (kept === undefined) {
      throw new Error(
        `Cannot resume ${quote(resume)}: this session has no such agent, or it is older than ` +
          `${KEPT_DAYS} days; the id is at the end of an agent's result`,
        { cause: { agent: resume } },
      );
    }
    return new Conversation(store, {
      id: resume,
      messages: withPrompt(withEveryAnswer(kept.messages), prompt),
      model: model ?? kept.model ?? undefined,
    });
  }

  /** Takes the conversation over: no other call can save it any more. */
  async start(): Promise<void> {
    await this.#set(this.messages);
  }

  /** Saves the messages. Throws if another call has resumed the conversation meanwhile. */
  async save(messages: readonly Message[]): Promise<void> {
    const kept = await this.#store.get(this.id) as unknown as Kept | undefined;
    if (kept !== undefined && kept.run !== this.#run) {
      throw new Error("Another call has continued this agent in the meantime, so this one ends");
    }
    await this.#set(messages);
  }

  async #set(messages: readonly Message[]): Promise<void> {
    const kept: Kept = { run: this.#run, model: this.model ?? null, messages: [...messages] };
    await this.#store.set(this.id, kept as unknown as Json, { ttlMs: KEPT_DAYS * 86_400_000 });
  }
}

/** Adds the answers to tool calls that a killed agent has left without one. */
function withEveryAnswer(messages: readonly Message[]): Message[] {
  const last = messages.at(-1);
  const open = last?.role === "assistant" ? last.tool_calls ?? [] : [];
  const content =
    "Error: The agent was interrupted here; it is unknown whether this call took effect";
  const answers = open.map(({ id }): Message => ({ role: "tool", tool_call_id: id, content }));
  return [...messages, ...answers];
}

/** Adds a prompt. Two prompts in a row become one, because some models refuse two. */
function withPrompt(messages: Message[], prompt: string): Message[] {
  const last = messages.at(-1);
  return last?.role === "user"
    ? [...messages.slice(0, -1), { role: "user", content: `${last.content}\n\n${prompt}` }]
    : [...messages, { role: "user", content: prompt }];
}
