/** The names in NATS: subjects, streams, queues and headers. */

import { CallError } from "../../base/errors.ts";
import { parseJsonDocument } from "../../base/json/exact_json.ts";
import type { JsonId } from "../../base/json/inexact_number.ts";
import { quote } from "../../base/text/quote.ts";

/** The queue group of the workers. */
export const QUEUE = "toolcall";

/** The stream of the calls that wait. */
export const CALLS_STREAM = "TOOLCALL_CALLS_0";

/** The stream of the results. It is the ledger too: it says which call was begun. */
export const RESULTS_STREAM = "TOOLCALL_RESULTS_0";

/** The stream of the calls that were given up. */
export const DEAD_STREAM = "TOOLCALL_DEAD";

/** The object store of arguments and results that are too large for a message. */
export const BLOBS = "toolcall_blobs";

/** The headers of requests and replies. */
export const HEADERS = {
  deadline: "Toolcall-Deadline",
  narrow: "Toolcall-Narrow",
  session: "Toolcall-Session",
  proof: "Toolcall-Proof",
  progress: "Toolcall-Progress",
  beat: "Toolcall-Beat",
  quick: "Toolcall-Quick",
  blob: "Toolcall-Blob",
  state: "Toolcall-State",
  started: "Toolcall-Started",
  beatMs: "Toolcall-Beat-Ms",
  output: "Toolcall-Output",
  nonce: "Toolcall-Nonce",
  delivery: "Toolcall-Delivery",
  worker: "Toolcall-Worker",
  code: "Toolcall-Code",
  trace: "traceparent",
} as const;

const TOKEN = /^[A-Za-z0-9_-]{1,128}$/;

/** Whether a name can be a part of a subject: tokens of letters, digits, `_` and `-`, with dots. */
export function isSubjectName(name: string): boolean {
  return name.length <= 200 && name.split(".").every((token) => TOKEN.test(token));
}

/** Whether a string can be one token of a subject. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** The subject of the calls of a tool. Throws `tool_not_found` if no subject can have the name. */
export function callSubject(pool: string, tool: string): string {
  return `toolcall.call.${pool}.${toolTokens(tool)}`;
}

/** The subject of the calls of a tool at one worker. */
export function workerSubject(worker: string, tool: string): string {
  return `toolcall.at.${worker}.${toolTokens(tool)}`;
}

/**
 * The subject of a workspace: a worker that has it answers an empty message, and removes it after
 * {@link END_WORKSPACE}.
 */
export function workspaceSubject(pool: string, key: string): string {
  return `toolcall.in.${pool}.${key}`;
}

/** The payload that ends a workspace. */
export const END_WORKSPACE = "end";

/** The subject that makes a workspace on some worker of a pool. */
export function openSubject(pool: string, key: string): string {
  return `toolcall.open.${pool}.${key}`;
}

/** The subject of the calls of a tool in a workspace. The server checks the user in it. */
export function workspaceCallSubject(pool: string, key: string, tool: string): string {
  return `${workspaceSubject(pool, key)}.${toolTokens(tool)}`;
}

/** The subject of a durable call. Throws `tool_not_found` if no subject can have the tool's name. */
export function jobSubject(
  { pool, batch, id, tool }: { pool: string; batch: string; id: string; tool: string },
): string {
  return `toolcall.job.0.${pool}.${batch}.${id}.${toolTokens(tool)}`;
}

/** The subject on which workers say whether they take a background task of a tool. */
export function taskSubject(pool: string, tool: string): string {
  return `toolcall.task.${pool}.${toolTokens(tool)}`;
}

/**
 * The subject of a background task. Its parts are those of a durable call. Throws `tool_not_found` if
 * no subject can have the tool's name.
 */
export function taskJobSubject(
  { pool, batch, id, tool }: { pool: string; batch: string; id: string; tool: string },
): string {
  return `toolcall.job.tasks.${pool}.${batch}.${id}.${toolTokens(tool)}`;
}

/** The subject of the list of a user's background tasks. No batch has such a name. */
export function taskListSubject(user: string): string {
  return `toolcall.result.0.${user}.~tasks`;
}

/** Whether a subject in the queue is that of a background task, and not of a call. */
export function isTaskJob(subject: string): boolean {
  return subject.startsWith("toolcall.job.tasks.");
}

/**
 * Reads the parts of the subject of a durable call or a background task. The batch has the user in
 * front of it, with a dot between.
 */
export function readJobSubject(
  subject: string,
): { pool: string; batch: string; id: string; tool: string } {
  const [, , , pool = "", user = "", batch = "", id = "", ...tool] = subject.split(".");
  return { pool, batch: `${user}.${batch}`, id, tool: tool.join(".") };
}

/** The subject of the result of a durable call. */
export function resultSubject(batch: string, id: string): string {
  return `toolcall.result.0.${batch}.${id}`;
}

/** The key of a call in the subject of its result: the user, the batch and the id. */
export function resultKey(subject: string): string {
  return subject.split(".").slice(3).join(".");
}

/** The id in the subject of a result: that of a call, or of several calls in one message. */
export function resultId(subject: string): string {
  return subject.slice(subject.lastIndexOf(".") + 1);
}

/** Returns a new id for several durable calls in one message. No call has such an id. */
export function newPackId(): string {
  return `~${crypto.randomUUID()}`;
}

/** Whether an id in a subject is one of {@link newPackId}. */
export function isPackId(id: string): boolean {
  return id.startsWith("~");
}

/** The subject that cancels a call. */
export function cancelSubject(batch: string, id: string): string {
  return `toolcall.cancel.${batch}.${id}`;
}

/** The subject of the progress of a call. */
export function progressSubject(batch: string, id: string): string {
  return `toolcall.progress.${batch}.${id}`;
}

/** The subject of a durable call that was given up. */
export function deadSubject(pool: string, batch: string, id: string): string {
  return `toolcall.dead.${pool}.${batch}.${id}`;
}

/** The subject before the number of a call to which workers send its replies. */
export function replyInbox(batch: string): string {
  const [user, own] = batch.split(".");
  return `_INBOX.${user}.toolcall.${own}`;
}

/** Whether a subject is an inbox with plain tokens. Only such a subject gets the answer of a worker. */
export function isInbox(subject: string): boolean {
  return INBOX.test(subject);
}

const INBOX = /^_INBOX(\.[A-Za-z0-9_-]+)+$/;

/**
 * The key of a call in the subject of its reply: user, batch and number. Undefined for the reply of
 * another client. The server lets only that user read the reply and publish the subject of its cancel.
 */
export function keyOfReply(reply: string | undefined): string | undefined {
  const [, user, batch, own] = REPLY.exec(reply ?? "") ?? [];
  return user && `${user}.${batch}.${own}`;
}

const REPLY = /^_INBOX\.([A-Za-z0-9_-]+)\.toolcall\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/;

/** The name of the object with the arguments of a call. No call can use another object. */
export function argumentsBlob(key: string): string {
  return `${key}.args`;
}

/** The name of the object with the result of a call by request and reply. */
export function replyBlob(key: string): string {
  return `${key}.result`;
}

/** The name of the object with the result of a durable call. `nonce` is that of its record. */
export function resultBlob(key: string, nonce: string): string {
  return `${key}.${nonce}.result`;
}

/** The name of the object with the whole output of a background task. */
export function outputBlob(key: string): string {
  return `${key}.output`;
}

/** The durable consumer of the workers of a pool. */
export function consumerName(pool: string): string {
  return `workers-${pool}`;
}

/** The durable consumer of the background tasks of a pool. */
export function taskConsumerName(pool: string): string {
  return `tasks-${pool}`;
}

/**
 * Returns an id as one token. A number becomes its digits. A string stays as it is, unless it has other
 * characters or looks like a number: it is then encoded after an `=`.
 */
export function encodeId(id: JsonId): string {
  if (typeof id === "number" && Number.isSafeInteger(id) && id >= 0) return String(id);
  if (typeof id === "string" && TOKEN.test(id) && !/^\d+$/.test(id)) return id;
  const bytes = new TextEncoder().encode(JSON.stringify(id));
  return `=${bytes.toBase64({ alphabet: "base64url", omitPadding: true })}`;
}

/** Returns the id of a token of {@link encodeId}. */
export function decodeId(token: string): JsonId {
  if (/^\d+$/.test(token)) return Number(token);
  if (!token.startsWith("=")) return token;
  const bytes = Uint8Array.fromBase64(token.slice(1), { alphabet: "base64url" });
  return parseJsonDocument(new TextDecoder().decode(bytes)).value as JsonId;
}

function toolTokens(tool: string): string {
  if (isSubjectName(tool)) return tool;
  throw new CallError(
    "tool_not_found",
    `The tool ${quote(tool, 80)} cannot be called over NATS: its name must consist of letters, ` +
      "digits, _, - and single dots",
  );
}
