import type { IncomingCall, ToolCall } from "../call/call.ts";
import type { CallResult } from "../call/failure.ts";
import type { Reading } from "./incoming.ts";

/** A call as a model's API writes it. */
export interface ModelCall {
  /** What its answer has to repeat. */
  id: string;
  /** Reads its name and arguments. Rejects with `malformed_call`. */
  read(reading: Reading): Promise<ToolCall>;
}

/** What a dialect finds in a value that is in it. */
export interface Found {
  /** The calls, in order; for one that cannot be understood its id and why. */
  calls: (ModelCall | (IncomingCall & { failure: unknown }))[];
  /** Whether they came in a message or list. */
  isMessage: boolean;
}

/** What a call was answered with. */
export interface Answer {
  /** What names the call. */
  id: string;
  /** Whether it was a custom tool's, which OpenAI's Responses answer in a form of its own. */
  isCustom?: boolean;
  /** The result. */
  result: CallResult;
}

/** A dialect of a model's API. */
export interface ModelDialect {
  /** The calls in a value of this dialect's shape; `undefined` for any other value. */
  find(value: unknown): Found | undefined;
  /** What answers one call that came by itself. */
  renderOne(answer: Answer): unknown;
  /** What answers the calls of a message. */
  renderAll(answers: readonly Answer[]): unknown;
}

/** What names a call; what is no text names none. */
export function idOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
