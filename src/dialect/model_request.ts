import { isObject } from "../is_object.ts";
import type { IncomingCall, Repair, ToolCall } from "../engine/call.ts";
import { CallError, isCallError } from "../call_error.ts";
import { parseExactJson } from "../exact_json.ts";
import { quote } from "../quote.ts";
import { anthropic } from "./anthropic.ts";
import { malformed } from "./json_text.ts";
import { parseMcpParams, shown } from "./mcp.ts";
import type { Found, ModelCall } from "./model_dialect.ts";
import { openai } from "./openai.ts";
import type { ModelDialectName, Reading, Request } from "./incoming.ts";
import { responses } from "./responses.ts";

/** How many calls of one message are run; what is over that is answered with why not. */
export const MOST_CALLS = 128;

const dialects = { openai, responses, anthropic };

/** What a value in the dialect of a model's API asks for; `undefined` when it is in none. */
export function modelRequest(value: unknown, reading: Reading): Request | undefined {
  for (const [dialect, { find }] of Object.entries(dialects)) {
    const found = find(value);
    if (found === undefined) continue;
    const { isMessage, calls } = found;
    return {
      dialect: dialect as ModelDialectName,
      isMessage,
      read: () => Promise.all(calls.map((call, place) => incoming(call, place, reading))),
    };
  }
  const without = messageWithout(value);
  if (without === undefined) return undefined;
  return {
    dialect: without,
    isMessage: true,
    read: () => Promise.reject(malformed("the message holds no tool call")),
  };
}

/** The dialect of a message that calls nothing, as far as its shape tells. */
function messageWithout(value: unknown): ModelDialectName | undefined {
  if (!isObject(value)) return undefined;
  if (value["role"] === "assistant") {
    return Array.isArray(value["content"]) && !Object.hasOwn(value, "tool_calls")
      ? "anthropic"
      : "openai";
  }
  return value["object"] === "response" ? "responses" : undefined;
}

async function incoming(
  call: Found["calls"][number],
  place: number,
  reading: Reading,
): Promise<IncomingCall> {
  if ("failure" in call) return call;
  const { id } = call;
  try {
    if (place >= MOST_CALLS) {
      throw malformed(`a message has ${MOST_CALLS} calls at most; this one was not run`);
    }
    return { id, call: await toolCall(call, reading) };
  } catch (error) {
    if (!isCallError(error)) throw error;
    return { id, failure: error };
  }
}

/** The arguments of a call, and what was done to their text to read it. */
interface Arguments {
  value: unknown;
  repairs?: Repair[];
}

async function toolCall(
  { name, arguments: given }: ModelCall,
  reading: Reading,
): Promise<ToolCall> {
  const { value, repairs = [] }: Arguments = "value" in given
    ? given
    : await valueOf(given.text, { ...reading, name });
  const call = parseMcpParams({ name, ...(value !== undefined && { arguments: value }) });
  const all = [...reading.repairs ?? [], ...repairs];
  return all.length === 0 ? call : { ...call, repairs: all };
}

/** The arguments in their JSON text; nothing where there are none. */
async function valueOf(
  text: unknown,
  { repairJson = false, name }: Reading & { name: unknown },
): Promise<Arguments> {
  if (text === undefined || text === null) return { value: {} };
  // Some servers hand over the value itself.
  if (typeof text !== "string") return { value: text };
  if (text.trim() === "") return { value: {} };
  try {
    return { value: parseExactJson(text) };
  } catch (error) {
    const why = (error as Error).message;
    if (repairJson) {
      const { repairedJson } = await import("../dialect/repair_json.ts");
      const mended = repairedJson(text);
      if (mended) return { ...mended, repairs: [{ path: "", rule: "json_syntax" }] };
    }
    throw new CallError(
      "malformed_call",
      `Cannot read the arguments of ${shown(name)}: their text, ${quote(text, 80)}, ${why}; ` +
        'expected one JSON object such as {"path":"README.md"}',
    );
  }
}
