/** Requests and results in the dialects of models' APIs. */

import { shownContent } from "../../base/shown_content.ts";
import { isObject } from "../../base/json/is_object.ts";
import type { IncomingCall } from "../call/call.ts";
import { blockText } from "../../base/block_text.ts";
import { CallError } from "../../base/errors.ts";
import { anthropic } from "./anthropic.ts";
import { aiSdk } from "./ai_sdk.ts";
import { bedrock } from "./bedrock.ts";
import { functionCall, mistral } from "./chat_variants.ts";
import { gemini } from "./gemini.ts";
import { langchain } from "./langchain.ts";
import { malformed, parseMcpParams } from "./mcp.ts";
import { ollama } from "./ollama.ts";
import { callId, type FoundCalls, type ModelAnswer, type ModelDialect } from "./model_dialect.ts";
import { openai } from "./openai.ts";
import type { Format, ModelDialectName, Reading, Request } from "./incoming.ts";
import { responses } from "./responses.ts";

/** The number of calls in one message that are run. The others are answered with an error. */
export const MAX_CALLS = 128;

/** The dialects, in the order in which a value is compared with them. */
const dialects: Readonly<Record<ModelDialectName, ModelDialect>> = {
  // Ollama's calls look like those of OpenAI, but have neither type nor id.
  ollama,
  ...{ openai, responses, anthropic, gemini, bedrock, mistral, langchain },
  ...{ "ai-sdk": aiSdk, "function-call": functionCall },
};

/** The request in a value, if the value is in the dialect of a model's API. */
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
  if (isCallList(value)) return callList(value, reading);
  const without = messageWithout(value);
  if (without === undefined) return undefined;
  return {
    dialect: without,
    isMessage: true,
    read: () => Promise.reject(malformed("the message contains no tool call")),
  };
}

/** The request of a list of calls in MCP's form. */
export function callList(values: readonly unknown[], reading: Reading): Request {
  const calls = values.map((value): FoundCalls["calls"][number] => ({
    id: callId(isObject(value) ? value["id"] : undefined),
    read: () => parseMcpParams(value, reading),
  }));
  return {
    dialect: "mcp",
    isMessage: true,
    read: () => Promise.all(calls.map((call, place) => incoming(call, place, reading))),
  };
}

/** The dialect of a message without calls, recognised by its shape. */
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
  call: FoundCalls["calls"][number],
  place: number,
  reading: Reading,
): Promise<IncomingCall> {
  if ("failure" in call) return call;
  const { id, name, item } = call;
  const named = { id, ...(name !== undefined && { name }), ...(item !== undefined && { item }) };
  try {
    if (place >= MAX_CALLS) {
      throw malformed(`a message has ${MAX_CALLS} calls at most; this one was not run`);
    }
    return { ...named, call: await call.read(reading) };
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    return { ...named, failure: error };
  }
}

/** Renders results for stdout. The results of a message form one message or list. */
export function renderAs(
  format: Exclude<Format, "same"> | "json-rpc",
  answers: readonly ModelAnswer[],
  isMessage: boolean,
): string {
  if (format === "mcp" || format === "json-rpc") {
    return line(isMessage ? answers.map(mcp) : mcp(answers[0]!));
  }
  // Only MCP's form has a place for structured data.
  const shown = answers.map((answer) => ({
    ...answer,
    result: { ...answer.result, content: shownContent(answer.result) },
  }));
  if (format === "text") return shown.map(text).join("");
  const { renderAll, renderOne } = dialects[format];
  return line(isMessage ? renderAll(shown) : renderOne(shown[0]!));
}

/** The result, with the id of its call if the call has one. */
function mcp({ id, result }: ModelAnswer): unknown {
  if (id === "") return result;
  return { ...result, _meta: { ...result._meta, "toolcall/call": { id } } };
}

function text({ result: { content } }: ModelAnswer): string {
  return `${content.map((block) => blockText(block)).join("\n")}\n`.replace(/\n\n$/, "\n");
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** The keys of a call without arguments. */
const BARE = ["name", "id", "index", "_meta"];

/** Whether a value is a list of calls in MCP's form, such as Gemini's SDK has as `functionCalls`. */
function isCallList(value: unknown): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.length > 0 &&
    value.every((each) =>
      isObject(each) && typeof each["name"] === "string" &&
      (["arguments", "args", "parameters", "input"].some((key) => Object.hasOwn(each, key)) ||
        Object.keys(each).every((key) => BARE.includes(key))) &&
      !["role", "function"].some((key) => Object.hasOwn(each, key)) &&
      (!Object.hasOwn(each, "type") || Object.hasOwn(each, "arguments"))
    );
}
