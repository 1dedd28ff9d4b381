import { CallError } from "../../base/errors.ts";
import { isObject } from "../../base/json/is_object.ts";
import { isJsonId, type JsonId } from "../../base/json/inexact_number.ts";
import { quote } from "../../base/text/quote.ts";
import { parseExactJson } from "../../base/json/exact_json.ts";
import type { IncomingCall, ToolCall } from "../call/call.ts";
import { failureOf } from "../call/failure.ts";
import type { Reading, Request } from "../dialect/incoming.ts";
import { describeType, malformed } from "../dialect/mcp.ts";
import { mcpRequest, parseInput, requestOf } from "../dialect/request.ts";

/** The id of a result line: the line's, else the call's own, else the number of the line. */
export type SubmitId = JsonId;

/** One call of a line, and the id of its result. */
export interface SubmittedCall {
  /** The id of its result. */
  id: SubmitId;
  /** The call, or the reason why it could not be read. */
  incoming: IncomingCall;
}

/** The calls of one line of the input. There is at least one. */
export interface SubmittedLine {
  /** The request in the line, which knows the form of the answers. */
  request: Request;
  /** Its calls, in order. */
  calls: readonly SubmittedCall[];
}

/**
 * Returns the call of a line `{"name", "arguments"}`, with an `id` or not, or of a line
 * `{"id", "call"}` with such a call, and the id of its result. Returns `undefined` for any other
 * line, which {@link readSubmittedLine} reads.
 */
export function plainLine(
  text: string,
  number: number,
): { id: SubmitId; call: ToolCall } | undefined {
  let line: unknown;
  try {
    line = parseExactJson(text);
  } catch {
    return undefined;
  }
  if (!isObject(line)) return undefined;
  const isWrapped = Object.hasOwn(line, "call");
  const call = isWrapped ? line["call"] : line;
  if (!isObject(call)) return undefined;
  const { id = number } = line;
  const { name, arguments: args } = call;
  const ids = Object.hasOwn(line, "id") ? 1 : 0;
  const isPlain = isWrapped
    ? Object.keys(line).length === ids + 1 && Object.keys(call).length === 2
    : Object.keys(line).length === ids + 2;
  if (!isPlain || !isId(id) || typeof name !== "string" || !isObject(args)) return undefined;
  return { id, call: { name, arguments: args } };
}

/** The keys of a line that is not a call itself but has one under `call`. */
const WRAPPER = ["id", "call"];

/**
 * Reads one line: a call in any dialect, a message with several calls, or `{"id", "call"}` with one
 * of these. `number` is the number of the line, from 1. A line that cannot be read has one call with
 * the failure, which names the line. Never rejects.
 */
export async function readSubmittedLine(
  text: string,
  number: number,
  reading: Reading,
): Promise<SubmittedLine> {
  let id: SubmitId | undefined;
  try {
    const { value, ...parsed } = await parseInput(text, reading);
    const line = unwrap(value);
    id = line.id ?? ownId(line.call);
    if (line.failure !== undefined) throw line.failure;
    const request = await requestOf(line.call, { ...reading, ...parsed });
    const calls = await request.read();
    if (calls === "list") {
      throw malformed("a line must be a call, not a request for the list of tools");
    }
    return {
      request,
      calls: calls.map((incoming) => ({
        id: line.id ?? idIn(incoming) ?? (request.isMessage ? undefined : id) ?? number,
        incoming: "failure" in incoming
          ? { ...incoming, failure: inLine(incoming.failure, number) }
          : incoming,
      })),
    };
  } catch (error) {
    return unreadableLine(error, number, id);
  }
}

/** The line of that number that cannot be read because of `error`, with its id if it has one. */
export function unreadableLine(error: unknown, number: number, id?: SubmitId): SubmittedLine {
  const failure = inLine(failureOf(error), number);
  return { request: mcpRequest(undefined), calls: [{ id: id ?? number, incoming: { failure } }] };
}

/** Separates the call of a line from the id that the line gives it. */
function unwrap(value: unknown): { id?: SubmitId; call: unknown; failure?: CallError } {
  if (!isObject(value) || !Object.hasOwn(value, "call")) return { call: value };
  const { id, call } = value;
  const isGiven = Object.hasOwn(value, "id");
  const line = { ...(isId(id) && { id }), call };
  const other = Object.keys(value).find((key) => !WRAPPER.includes(key));
  if (other !== undefined) {
    const why = `the key ${quote(other, 80)} is not allowed beside "call"; only "id" is`;
    return { ...line, failure: malformed(why) };
  }
  if (!isGiven || isId(id)) return line;
  return { ...line, failure: malformed(`"id" is ${describeType(id)}, not a string or a number`) };
}

/** The id that a call has in its own dialect. */
function ownId(call: unknown): SubmitId | undefined {
  if (!isObject(call)) return undefined;
  // A call of OpenAI's Responses has both keys, and its answer repeats the first.
  return ["call_id", "id", "toolUseId"].map((key) => call[key]).find(isId);
}

function idIn({ id }: IncomingCall): SubmitId | undefined {
  return isId(id) ? id : undefined;
}

function isId(value: unknown): value is SubmitId {
  return isJsonId(value) && value !== "";
}

/** The failure of a line that cannot be read. Its text and its data name the line. */
function inLine({ code, message, details }: CallError, line: number): CallError {
  return new CallError(code, `Line ${line}: ${message}`, { ...details, line });
}
