import { lookupTable } from "../../../base/lookup_table.ts";
import { isObject } from "../../../base/json/is_object.ts";
import { parseJson } from "../../../base/json/parse_json.ts";
import type { Json } from "../../../runner/registry/services.ts";
import { serverMessage } from "../../provider/error_response.ts";
import type { Completion, FunctionCall, Usage } from "../messages.ts";
import type { CompletionBuilder } from "../model_api.ts";
import { AnswerSize, ModelFailure } from "../model_failure.ts";

/** The reasons for an end in OpenAI's words. Others stay as they are. */
const FINISHES = lookupTable<string>({
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "content_filter",
});

/** The errors that the same request may not meet again. */
const TEMPORARY_ERRORS = ["overloaded_error", "api_error", "rate_limit_error", "timeout_error"];

type Fields = Record<string, unknown>;

/** A block, and the JSON text of a call's arguments as far as it has come. */
type OpenBlock = { block: Fields; json: string };

/** Puts a message of Anthropic's API together from its events, or takes a whole message. */
export class MessageBuilder implements CompletionBuilder {
  readonly #size = new AnswerSize();
  #blocks = new Map<number, OpenBlock>();
  #stop: string | undefined;
  #refusal: string | undefined;
  #usage: Fields = {};
  #isStarted = false;
  #isDone = false;

  /** True if the server has given the reason why the message ends. */
  get finished(): boolean {
    return this.#stop !== undefined;
  }

  /** True after the event `message_stop`. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Takes the next event, or a whole message. Throws {@link ModelFailure} for an error. */
  add(event: unknown): void {
    const { type, message, index, content_block: block, delta, usage } = fields(event);
    if (type === "error" || (type === undefined && fields(event)["error"])) throw failureIn(event);
    if (type === "message") return this.#addMessage(fields(event));
    if (type === "message_start") this.#addMessage(fields(message));
    else if (type === "content_block_start") this.#start(Number(index), fields(block));
    else if (type === "content_block_delta") this.#extend(Number(index), fields(delta));
    else if (type === "message_delta") this.#end(fields(delta), fields(usage));
    else if (type === "message_stop") this.#isDone = true;
  }

  /** The completion from all events. Throws {@link ModelFailure} if they hold no message. */
  completion(): Completion {
    if (!this.#isStarted) {
      throw new ModelFailure("the response contains no message", { again: true });
    }
    const finish = FINISHES[this.#stop ?? "end_turn"] ?? this.#stop!;
    const blocks = [...this.#blocks.values()];
    const text = blocks.map(({ block }) => block["type"] === "text" ? textIn(block, "text") : "");
    // The calls of a message that was stopped may be incomplete.
    const calls = finish === "content_filter" ? [] : blocks.flatMap(callIn);
    const kept = blocks.flatMap(keptBlock);
    const isPlain = kept.every(({ type }) => type === "text" || type === "tool_use");
    const usage = usageIn(this.#usage);
    return {
      message: {
        role: "assistant",
        content: text.join("") || null,
        ...(calls.length > 0 && { tool_calls: calls }),
        ...(!isPlain && { blocks: kept as Json[] }),
      },
      finish,
      ...(usage !== undefined && { usage }),
      ...(this.#refusal !== undefined && { refusal: this.#refusal }),
    };
  }

  #addMessage({ content, usage, ...rest }: Fields): void {
    this.#isStarted = true;
    const blocks: unknown[] = Array.isArray(content) ? content : [];
    for (const [index, block] of blocks.entries()) this.#start(index, fields(block));
    this.#end(rest, fields(usage));
  }

  #start(index: number, block: Fields): void {
    // A stream starts a call with an empty input, and a whole message has all of it.
    const isEmpty = block["input"] === undefined ||
      Object.keys(fields(block["input"])).length === 0;
    this.#size.count(JSON.stringify(block));
    this.#blocks.set(index, {
      block: { ...block },
      json: isEmpty ? "" : JSON.stringify(block["input"]),
    });
  }

  #extend(index: number, delta: Fields): void {
    const open = this.#blocks.get(index);
    if (open === undefined) return;
    const { block } = open;
    open.json += this.#size.count(textIn(delta, "partial_json"));
    for (const key of ["text", "thinking", "signature"]) {
      const added = this.#size.count(textIn(delta, key));
      if (added !== "") block[key] = textIn(block, key) + added;
    }
  }

  #end({ stop_reason: stop, stop_details: details }: Fields, usage: Fields): void {
    if (typeof stop === "string" && stop !== "") this.#stop = stop;
    this.#refusal = textIn(fields(details), "explanation") || this.#refusal;
    for (const [key, value] of Object.entries(usage)) {
      if (typeof value === "number") this.#usage[key] = value;
    }
  }
}

function callIn({ block, json }: OpenBlock): FunctionCall[] {
  const name = textIn(block, "name");
  if (block["type"] !== "tool_use" || name === "") return [];
  // A server that forgets the id still needs an answer that refers to one.
  const id = textIn(block, "id") || `toolu_${crypto.randomUUID().slice(0, 8)}`;
  block["id"] = id;
  return [{ id, type: "function", function: { name, arguments: json } }];
}

/** The block to send back. Reasoning that was cut has no signature, and is refused. */
function keptBlock({ block, json }: OpenBlock): Fields[] {
  if (block["type"] === "thinking" && textIn(block, "signature") === "") return [];
  if (block["type"] === "text") return [{ type: "text", text: textIn(block, "text") }];
  if (block["type"] === "tool_use") return [{ type: "tool_use", id: block["id"] }];
  return [json === "" ? block : { ...block, input: parseJson(json) ?? {} }];
}

function usageIn(usage: Fields): Usage | undefined {
  const { input_tokens: input, output_tokens: output } = usage;
  if (typeof input !== "number") return undefined;
  const read = usage["cache_read_input_tokens"];
  const written = usage["cache_creation_input_tokens"];
  const cache = { read: Number(read ?? 0), written: Number(written ?? 0) };
  return {
    input: input + cache.read + cache.written,
    output: Number(output ?? 0),
    ...((read ?? written) !== undefined && { cache }),
  };
}

function failureIn(event: unknown): ModelFailure {
  const kind = textIn(fields(fields(event)["error"]), "type");
  const again = kind === "" || TEMPORARY_ERRORS.includes(kind);
  return new ModelFailure("the server reports an error", { again, said: serverMessage(event) });
}

/** The fields of a value from outside; empty if it is not an object. */
function fields(value: unknown): Fields {
  return isObject(value) ? value : {};
}

/** The text under a key, or an empty text. */
function textIn(value: Fields, key: string): string {
  const text = value[key];
  return typeof text === "string" ? text : "";
}
