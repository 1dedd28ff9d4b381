import { isJsonId, type JsonId } from "../../base/json/inexact_number.ts";
import { blockText } from "../../base/block_text.ts";
import type { CallItem, IncomingCall, ToolCall } from "../call/call.ts";
import type { CallResult } from "../call/failure.ts";
import type { Reading } from "./incoming.ts";

/** A call as a model's API writes it. */
export interface ModelCall {
  /** The id that the answer must repeat. */
  id: JsonId;
  /** The name that the answer must repeat, where a dialect wants it. */
  name?: string;
  /** Its item, if its answer has another form than that of a function. */
  item?: CallItem;
  /** Reads its name and arguments. Rejects with `malformed_call`. */
  read(reading: Reading): Promise<ToolCall>;
}

/** The calls in a value of a dialect. */
export interface FoundCalls {
  /** The calls, in order. A call that cannot be parsed has its id and the error. */
  calls: (ModelCall | (IncomingCall & { failure: unknown }))[];
  /** Whether the calls came in a message or list. */
  isMessage: boolean;
}

/** The answer to a call. */
export interface ModelAnswer {
  /** The id of the call. */
  id: JsonId;
  /** The name of the tool, as the call has it. */
  name?: string;
  /** The item that it answers. OpenAI's Responses have another form for each type. */
  item?: CallItem | undefined;
  /** The result. */
  result: CallResult;
}

/** A dialect of a model's API. */
export interface ModelDialect {
  /** The calls in a value of this dialect. Undefined for any other value. */
  find(value: unknown): FoundCalls | undefined;
  /** Renders the answer to a single call. */
  renderOne(answer: ModelAnswer): unknown;
  /** Renders the answers to the calls of a message. */
  renderAll(answers: readonly ModelAnswer[]): unknown;
}

/** Rules for where a dialect keeps its calls. */
export interface CallPlaces {
  /** Whether a value is a single call. */
  isCall(value: unknown): value is Record<string, unknown>;
  /** The list of a message that may contain calls, or undefined if a value is no message. */
  listOf(value: unknown): unknown[] | undefined;
  /** Makes the call of a value that is one. */
  callOf(value: Record<string, unknown>): FoundCalls["calls"][number];
}

/** Finds a single call, or the calls among the items of a message. */
export function findCalls(
  value: unknown,
  { isCall, listOf, callOf }: CallPlaces,
): FoundCalls | undefined {
  if (isCall(value)) return { calls: [callOf(value)], isMessage: false };
  const calls = listOf(value)?.filter(isCall) ?? [];
  return calls.length === 0 ? undefined : { calls: calls.map(callOf), isMessage: true };
}

/** The id of a call, or `""` if it is neither a string nor a number. */
export function callId(value: unknown): JsonId {
  return isJsonId(value) ? value : "";
}

/** The name in a call, or `""` if it is not a string. */
export function calledName(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A result as one text. With `marksErrors`, the text of a failure begins with `Error:`. */
export function toolText(
  { content, isError }: CallResult,
  { marksErrors = false }: { marksErrors?: boolean } = {},
): string {
  const text = content.map((block) =>
    blockText(block, "omitted: a tool message can contain only text")
  ).join("\n");
  return isError && marksErrors ? `Error: ${text}` : text;
}
