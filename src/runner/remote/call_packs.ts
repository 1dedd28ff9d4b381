/** Packs: several short calls of one tool in one message, because a message costs more than a read. */

import { type JsonDocument, parseJsonDocument } from "../../base/json/exact_json.ts";
import { isObject } from "../../base/json/is_object.ts";
import type { CallResult } from "../call/failure.ts";
import { decodeResult } from "./envelope.ts";

/** The most calls in a pack. More would keep a worker from other callers for too long. */
const MAX_CALLS = 64;

/** The most characters of the arguments of a packed call, and of a pack. */
const [MAX_CALL_LENGTH, MAX_PACK_LENGTH] = [8_192, 65_536];

/** The number of a pack, as the last token of the subject of its replies. */
const PACK = /^pack-\d+$/;

/** An id in a pack: one token of a subject. */
const ID = /^=?[A-Za-z0-9_-]{1,4096}$/;

/** Whether this last token of a reply's subject, or of its key, belongs to a pack. */
export function isPackToken(token: string): boolean {
  return PACK.test(token);
}

/** Collects the calls that start at the same time, and passes them on as packs. */
export class CallPacks {
  readonly #queues = new Map<string, { texts: string[]; ids: string[]; length: number }>();
  #count = 0;
  #isPlanned = false;

  /** `send` publishes the calls of a subject. `ids` are their ids, and `token` is the pack's. */
  constructor(
    readonly send: (
      pack: { subject: string; token: string; ids: readonly string[]; payload: string },
    ) => void,
  ) {}

  /** Adds a call. Returns `false` if its arguments are too long for a pack. */
  add(subject: string, id: string, args: Record<string, unknown>): boolean {
    const text = JSON.stringify(args);
    if (text.length > MAX_CALL_LENGTH) return false;
    let queue = this.#queues.get(subject);
    if (queue === undefined) {
      queue = { texts: [], ids: [], length: 0 };
      this.#queues.set(subject, queue);
    }
    queue.texts.push(`["${id}",${text}]`);
    queue.ids.push(id);
    queue.length += text.length;
    if (queue.ids.length >= MAX_CALLS || queue.length > MAX_PACK_LENGTH) this.#flush(subject);
    else if (!this.#isPlanned) {
      this.#isPlanned = true;
      setTimeout(() => this.#flushAll(), 0);
    }
    return true;
  }

  #flushAll(): void {
    this.#isPlanned = false;
    for (const subject of [...this.#queues.keys()]) this.#flush(subject);
  }

  #flush(subject: string): void {
    const queue = this.#queues.get(subject);
    if (queue === undefined) return;
    this.#queues.delete(subject);
    const { ids, texts } = queue;
    this.send({ subject, ids, token: `pack-${++this.#count}`, payload: `[${texts.join(",")}]` });
  }
}

/** The calls of a pack. */
export type CallPack<Id = string> = { id: Id; args: Record<string, unknown> }[];

/** Reads the calls of a pack. Returns `undefined` for a payload of another form, or with too many. */
export function readPack(data: Uint8Array): CallPack | undefined {
  return readCalls(data, isId);
}

/** The same for a pack by request and reply. An older submitter numbers its calls. */
export function readNumberedPack(data: Uint8Array): CallPack<string | number> | undefined {
  return readCalls(data, (id): id is string | number => isId(id) || Number.isSafeInteger(id));
}

function readCalls<Id>(
  data: Uint8Array,
  isOne: (id: unknown) => id is Id,
): CallPack<Id> | undefined {
  const { value, duplicateKey } = documentIn(data);
  const isPack = Array.isArray(value) && value.length <= MAX_CALLS && duplicateKey === undefined;
  if (!isPack) return undefined;
  const calls: CallPack<Id> = [];
  for (const each of value) {
    if (!Array.isArray(each)) return undefined;
    const [id, args] = each;
    if (!isOne(id) || !isObject(args)) return undefined;
    calls.push({ id, args });
  }
  return calls;
}

/** Returns a part of the reply to a pack: the id of a call, its result as JSON, or its object. */
export function packedResult(id: string | number, result: string, blob?: string): string {
  const key = JSON.stringify(id);
  return blob === undefined ? `[${key},${result}]` : `[${key},null,${JSON.stringify(blob)}]`;
}

/** A part of the reply to a pack: the result of a call, or the name of the object with it. */
export interface PackedResult {
  /** The id of the call. */
  id: string;
  /** Its result. */
  result?: CallResult;
  /** The object with its result. */
  blob?: string;
}

/**
 * Reads the results in a reply to a pack. A part without an id is left out. Returns `undefined` for the
 * reply of a worker that knows no packs: it has run nothing.
 */
export function readPackedResults(data: Uint8Array): PackedResult[] | undefined {
  const value = parsed(data);
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((each): PackedResult[] => {
    if (!Array.isArray(each) || !isId(each[0])) return [];
    const [id, result, blob] = each;
    if (typeof blob === "string") return [{ id, blob }];
    const isResult = isObject(result) && Array.isArray(result["content"]);
    if (!isResult) return [{ id, result: decodeResult(new Uint8Array()) }];
    const whole = { ...result, isError: result["isError"] === true };
    return [{ id, result: whole as unknown as CallResult }];
  });
}

function isId(id: unknown): id is string {
  return typeof id === "string" && ID.test(id);
}

/** The JSON document in a payload. A payload that is not JSON has no value. */
function documentIn(data: Uint8Array): Pick<JsonDocument, "value" | "duplicateKey"> {
  try {
    return parseJsonDocument(new TextDecoder("utf-8", { fatal: true }).decode(data));
  } catch {
    return { value: undefined };
  }
}

function parsed(data: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(data));
  } catch {
    return undefined;
  }
}
