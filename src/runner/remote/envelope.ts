/** The content of a message: the arguments of a call, or its result. */

import { headers, type MsgHdrs } from "@nats-io/nats-core";
import { CallError } from "../../base/errors.ts";
import {
  duplicateFault,
  type JsonDocument,
  parseJsonDocument,
} from "../../base/json/exact_json.ts";
import { isObject } from "../../base/json/is_object.ts";
import { readTraceParent } from "../../base/text/trace_parent.ts";
import { meansNoArguments } from "../dialect/empty_arguments.ts";
import { type CallResult, failureResult } from "../call/failure.ts";
import type { RemoteOptions } from "./core_failures.ts";
import { argumentsBlob, HEADERS } from "./subjects.ts";

/** The data of a call besides the name and the arguments. */
export interface CallHeaders {
  /** The user, the batch and the id of the call, with dots between. It is no header. */
  key?: string;
  /** The user, in a subject that the server checks or with a proof. It is no header. */
  user?: string;
  /** The proof of the user in the reply subject. Only requests have one. */
  proof?: string;
  /** The user and the name of the workspace, with a dot between. It is no header. */
  workspace?: string;
  /** The time of this process after which the call is not started, in milliseconds. */
  deadline?: number;
  /** Permission flags that the call is restricted to, besides the worker's. */
  narrow?: readonly string[];
  /** The session. */
  session?: string;
  /** Whether the caller reads progress. */
  progress?: boolean;
  /** The name of the object with the arguments. */
  blob?: string;
  /** The trace context of the caller, as W3C defines it. */
  trace?: string;
}

function requestHeaders(call: CallHeaders & { deadlineMs?: number }): MsgHdrs {
  const all = headers();
  const { deadlineMs, narrow, session, proof, progress, blob, trace } = call;
  // A time of day would compare the clocks of two machines.
  if (deadlineMs !== undefined) all.set(HEADERS.deadline, String(Math.ceil(deadlineMs)));
  if (narrow !== undefined) all.set(HEADERS.narrow, encodeURIComponent(JSON.stringify(narrow)));
  if (session !== undefined) all.set(HEADERS.session, encodeURIComponent(session));
  if (proof !== undefined) all.set(HEADERS.proof, proof);
  if (progress) all.set(HEADERS.progress, "1");
  if (blob !== undefined) all.set(HEADERS.blob, blob);
  if (trace !== undefined) all.set(HEADERS.trace, trace);
  return all;
}

/**
 * Returns the headers of a call with these options, or `undefined` if it needs none. `proof` is that of
 * the user in the reply subject, and `blob` the object with the arguments.
 */
export function headersOf(
  options: RemoteOptions,
  { blob, proof }: Pick<CallHeaders, "blob" | "proof"> = {},
): MsgHdrs | undefined {
  const { narrow, session, deadlineMs, trace, onProgress } = options;
  const all = requestHeaders({
    progress: onProgress !== undefined,
    ...(narrow && { narrow }),
    ...(session !== undefined && { session }),
    ...(proof !== undefined && { proof }),
    ...(deadlineMs !== undefined && { deadlineMs }),
    ...(blob !== undefined && { blob }),
    ...(trace !== undefined && { trace }),
  });
  return all.keys().length === 0 ? undefined : all;
}

/**
 * Reads the headers of a request that has been on its way for `ageMs`. Throws `invalid_arguments` for a
 * header without meaning.
 */
export function readRequestHeaders(all: MsgHdrs | undefined, ageMs = 0): CallHeaders {
  const call: CallHeaders = {};
  const take = (name: string) => all?.get(name) || undefined;
  const [deadline, narrow] = [HEADERS.deadline, HEADERS.narrow].map(take);
  const [session, blob, trace] = [HEADERS.session, HEADERS.blob, HEADERS.trace].map(take);
  if (deadline !== undefined) {
    if (!/^\d{1,15}$/.test(deadline)) throw badHeader(HEADERS.deadline, "milliseconds");
    call.deadline = performance.now() + Number(deadline) - ageMs;
  }
  if (narrow !== undefined) call.narrow = readNarrow(narrow);
  if (session !== undefined) call.session = decoded(HEADERS.session, session);
  if (take(HEADERS.progress)) call.progress = true;
  if (blob !== undefined) call.blob = blob;
  const parent = readTraceParent(trace);
  if (parent !== undefined) call.trace = parent;
  return call;
}

/** Throws `permission_denied` if the arguments are said to be in an object of another call. */
export function checkBlob({ blob, key }: CallHeaders): void {
  if (blob === undefined || key !== undefined && blob === argumentsBlob(key)) return;
  throw new CallError(
    "permission_denied",
    `The header ${HEADERS.blob} names an object that does not belong to this call`,
  );
}

function readNarrow(text: string): readonly string[] {
  const fault = badHeader(HEADERS.narrow, "a JSON array of permission flags");
  // A plain client sends the array as it is, and it may have a percent sign.
  const json = text.startsWith("[") ? text : decoded(HEADERS.narrow, text);
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw fault;
  }
  if (!Array.isArray(value) || !value.every((each) => typeof each === "string")) throw fault;
  return value;
}

function decoded(name: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw badHeader(name, "text in percent-encoding");
  }
}

function badHeader(name: string, expected: string): CallError {
  return new CallError("invalid_arguments", `Invalid header ${name}; expected ${expected}`);
}

/** Returns the bytes of a value as JSON. */
export function encodeJson(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

/** Reads the arguments of a call. An empty payload means no arguments. Throws `malformed_call`. */
export function decodeArguments(data: Uint8Array): Record<string, unknown> {
  let parsed: JsonDocument;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(data);
    if (meansNoArguments(text)) return {};
    parsed = parseJsonDocument(text);
  } catch (error) {
    const why = (error as Error).message;
    throw new CallError("malformed_call", `The payload must be JSON in UTF-8: it ${why}`);
  }
  const { value, duplicateKey: key } = parsed;
  if (key !== undefined) {
    throw new CallError("malformed_call", `The payload ${duplicateFault(key)}`, { key });
  }
  if (meansNoArguments(value)) return {};
  if (isObject(value)) return value;
  throw new CallError("malformed_call", "The payload must be a JSON object: the tool's arguments");
}

/** Reads the result of a call. Anything else becomes a failure. */
export function decodeResult(data: Uint8Array): CallResult {
  try {
    const value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(data));
    if (isObject(value) && Array.isArray(value["content"])) {
      return { ...value, isError: value["isError"] === true } as unknown as CallResult;
    }
  } catch { /* It is no result. */ }
  const message = "The worker answered with something that is not a tool result";
  return failureResult(new CallError("unavailable", message));
}
