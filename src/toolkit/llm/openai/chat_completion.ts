import { isObject } from "../../../base/json/is_object.ts";
import type { Json } from "../../../runner/registry/services.ts";
import type { AssistantMessage, Completion, FunctionCall, Usage } from "../messages.ts";
import type { CompletionBuilder } from "../model_api.ts";
import { AnswerSize, isRetryableStatus, ModelFailure } from "../model_failure.ts";
import { serverMessage } from "../../provider/error_response.ts";

/**
 * Puts a completion together from the chunks of a stream, or from the one document of an answer
 * that is not streamed. Accepts the differences of other servers from OpenAI's: tool calls without
 * an index or an id, several calls under one index, arguments as an object.
 */
export class ChatCompletionBuilder implements CompletionBuilder {
  /** Always false: a chunk never says that it is the last. */
  readonly isDone = false;
  #content = "";
  #thoughts = "";
  #calls: FunctionCall[] = [];
  #byIndex = new Map<number, FunctionCall>();
  #finish: string | undefined;
  #usage: Usage | undefined;
  #hasChoice = false;
  readonly #size = new AnswerSize();

  /** True if the server has given the reason why the answer ends. */
  get finished(): boolean {
    return this.#finish !== undefined;
  }

  /**
   * Takes the next chunk, or a whole answer. Throws {@link ModelFailure} if it reports an error, and
   * if the answer grows over 8 Mi characters.
   */
  add(chunk: unknown): void {
    const { error, usage, choices } = fields(chunk);
    if (error !== undefined && error !== null) throw failureIn(chunk);
    const { prompt_tokens: input, completion_tokens: output } = fields(usage);
    if (typeof input === "number") this.#usage = { input, output: Number(output) || 0 };
    if (!Array.isArray(choices) || choices.length === 0) return;
    this.#hasChoice = true;
    const { delta, message, finish_reason: finish } = fields(choices[0]);
    if (typeof finish === "string" && finish !== "") this.#finish = finish;
    const said = fields(delta ?? message);
    this.#content += this.#size.count(textOf(said["content"]) || textOf(said["refusal"]));
    this.#thoughts += this.#size.count(textOf(said["reasoning_content"]));
    if (!Array.isArray(said["tool_calls"])) return;
    for (const call of said["tool_calls"]) this.#addCall(fields(call));
  }

  /** The completion from all chunks. Throws {@link ModelFailure} if they hold no answer. */
  completion(): Completion {
    if (!this.#hasChoice) {
      throw new ModelFailure("the response contains no message", { again: true });
    }
    const message: AssistantMessage = { role: "assistant", content: this.#content || null };
    const calls = this.#calls.filter((call) => call.function.name !== "");
    if (calls.length > 0) {
      message.tool_calls = calls;
      if (this.#thoughts !== "") message.reasoning_content = this.#thoughts;
    }
    const usage = this.#usage;
    return { message, finish: this.#finish ?? "stop", ...(usage !== undefined && { usage }) };
  }

  #addCall(piece: Record<string, unknown>): void {
    const { name, arguments: args } = fields(piece["function"]);
    const call = this.#callOf(piece, textOf(name) !== "");
    const { id, extra_content: extra } = piece;
    if (typeof id === "string" && id !== "") call.id = id;
    if (call.function.name === "") call.function.name = this.#size.count(textOf(name));
    if (typeof args === "string") call.function.arguments += this.#size.count(args);
    else if (args !== undefined && args !== null) call.function.arguments = JSON.stringify(args);
    if (extra !== undefined && extra !== null) call.extra_content = extra as Json;
  }

  /** The call that a piece continues, or a new one. */
  #callOf({ index, id }: Record<string, unknown>, isNamed: boolean): FunctionCall {
    const known = typeof index === "number" ? this.#byIndex.get(index) : this.#calls.at(-1);
    const isOther = typeof id === "string" && id !== "" && id !== known?.id;
    const isNew = isNamed && (isOther || typeof index !== "number");
    if (known !== undefined && !isNew) return known;
    const call: FunctionCall = {
      // Some servers give a call no id, but its answer must refer to one.
      id: `call_${crypto.randomUUID().slice(0, 8)}`,
      type: "function",
      function: { name: "", arguments: "" },
    };
    this.#calls.push(call);
    if (typeof index === "number") this.#byIndex.set(index, call);
    return call;
  }
}

function failureIn(chunk: unknown): ModelFailure {
  const { error } = fields(chunk);
  const { code, status } = fields(error);
  const told = [code, status].map(Number).find((each) => each >= 400 && each < 600);
  const again = told === undefined || isRetryableStatus(told);
  return new ModelFailure("the server reports an error", { again, said: serverMessage(chunk) });
}

/** The fields of a value from outside; empty if it is not an object. */
function fields(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

/** A text, or the texts of its parts. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return "";
  return value.map((part) => textOf(fields(part)["text"])).join("");
}
