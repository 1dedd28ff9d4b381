/**
 * A server of Anthropic's Messages API with one prepared answer for each request. It checks each
 * request as the API does, and refuses an invalid request with the API's status and error.
 */
import type {
  ContentBlock,
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  RawMessageStreamEvent,
  StopReason,
  Tool,
  Usage,
} from "@anthropic-ai/sdk/resources/messages";
import { streamed } from "./model_server.ts";

/** A request that the API refuses. */
class Refusal extends Error {}

function must(condition: unknown, why: string): asserts condition {
  if (!condition) throw new Refusal(why);
}

/** The longest answer of a model, in tokens. */
const MAX_TOKENS = 64_000;

/** Checks a request by the rules of the API. Throws the message of its `invalid_request_error`. */
export function checkMessagesRequest(
  body: MessageCreateParamsStreaming,
  { maxTokens = MAX_TOKENS, model = /./ }: { maxTokens?: number; model?: RegExp } = {},
): void {
  const { max_tokens: max, messages, system, tools = [] } = body;
  must(typeof body.model === "string" && model.test(body.model), "model: Field required");
  must(Number.isInteger(max), "max_tokens: Field required");
  must(
    max > 0 && max <= maxTokens,
    `max_tokens: ${max} > ${maxTokens}, which is the maximum allowed number of output tokens for ` +
      "claude-small-20260101",
  );
  const known = ["max_tokens", "messages", "model", "stream", "system", "tools", "tool_choice"];
  for (const key of Object.keys(body)) must(known.includes(key), `${key}: Extra inputs`);
  for (const block of Array.isArray(system) ? system : []) checkText(block.text, "system");
  checkTools(tools as Tool[]);
  checkMessages(messages);
  const marked = JSON.stringify(body).match(/"cache_control"/g) ?? [];
  must(marked.length <= 4, "A maximum of 4 blocks with cache_control may be provided");
}

function checkTools(tools: readonly Tool[]): void {
  const names = new Set<string>();
  for (const { name, description, input_schema: schema } of tools) {
    must(/^[a-zA-Z0-9_-]{1,128}$/.test(name), `tools.${name}: String should match pattern`);
    must(!names.has(name), "tools: Tool names must be unique.");
    names.add(name);
    must(typeof description === "string", `tools.${name}.description`);
    must(schema?.type === "object", `tools.${name}.input_schema.type: Field required`);
    for (const word of ["oneOf", "anyOf", "allOf"]) {
      must(!(word in schema), `input_schema does not support ${word} at the top level`);
    }
    for (const key of Object.keys(schema.properties ?? {})) {
      must(/^[a-zA-Z0-9_.-]{1,64}$/.test(key), `Property keys should match pattern: ${key}`);
    }
  }
}

function checkMessages(messages: readonly MessageParam[]): void {
  must(messages.length > 0, "messages: at least one message is required");
  let open: string[] = [];
  for (const [at, { role, content }] of messages.entries()) {
    // The API merges consecutive messages of one role. This server requires alternating roles.
    must(role === (at % 2 === 0 ? "user" : "assistant"), `messages.${at}: roles must alternate`);
    must(content.length > 0, `messages.${at}: all messages must have non-empty content`);
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    open = checkBlocks(blocks as ContentBlockParam[], { at, role, open });
  }
  must(open.length === 0, `tool_use ids were found without tool_result blocks: ${open}`);
}

/** Checks the blocks of a message. Returns the ids of its calls. */
function checkBlocks(
  blocks: readonly ContentBlockParam[],
  { at, role, open }: { at: number; role: string; open: readonly string[] },
): string[] {
  const results = blocks.flatMap((block) => block.type === "tool_result" ? block.tool_use_id : []);
  must(
    open.length === results.length && open.every((id) => results.includes(id)),
    `messages.${at}: tool_use ids were found without tool_result blocks immediately after: ${open}`,
  );
  const first = blocks.slice(0, results.length);
  must(first.every(({ type }) => type === "tool_result"), `messages.${at}: results come first`);
  const calls: string[] = [];
  for (const block of blocks) {
    if (block.type === "text") checkText(block.text, `messages.${at}`);
    if (block.type === "thinking") must(block.signature, `messages.${at}: Invalid signature`);
    if (block.type === "tool_use") {
      must(role === "assistant", `messages.${at}: tool_use belongs to the assistant`);
      must(/^[a-zA-Z0-9_-]+$/.test(block.id), `messages.${at}: id should match pattern`);
      must(/^[a-zA-Z0-9_-]{1,128}$/.test(block.name), `messages.${at}: name`);
      const { input } = block;
      must(
        typeof input === "object" && input !== null && !Array.isArray(input),
        `messages.${at}: tool_use.input: Input should be a valid dictionary`,
      );
      calls.push(block.id);
    }
    if (block.type === "tool_result") {
      for (const part of Array.isArray(block.content) ? block.content : []) {
        if (part.type === "text") checkText(part.text, `messages.${at}.tool_result`);
        if (part.type === "image") checkImage(part.source as { media_type: string; data: string });
      }
    }
  }
  return calls;
}

function checkText(text: string, where: string): void {
  must(text !== "", `${where}: text content blocks must be non-empty`);
  must(text.trim() !== "", `${where}: text content blocks must contain non-whitespace text`);
}

function checkImage({ media_type: type, data }: { media_type: string; data: string }): void {
  const starts: Record<string, string> = {
    ...{ "image/png": "iVBORw0KGgo", "image/jpeg": "/9j/" },
    ...{ "image/gif": "R0lGOD", "image/webp": "UklGR" },
  };
  must(starts[type] !== undefined, `source.media_type: Input should be an image type: ${type}`);
  must(data.startsWith(starts[type]), `Image does not match the provided media type ${type}`);
  must(data.length <= 5 * 1024 * 1024, "image exceeds 5 MB maximum");
}

/** A request to the server. */
export interface AskedMessages {
  /** The path of the request. */
  path: string;
  /** Its header fields. */
  headers: Headers;
  /** Its body. */
  body: MessageCreateParamsStreaming;
}

/** Answers one request. */
export type MessagesAnswer = (asked: AskedMessages) => Response | Promise<Response>;

/**
 * Starts a server that gives the answers in turn, and then repeats the last answer. `refusals` are
 * the reasons of refused requests, which use no answer.
 */
export function messagesServer(
  answers: readonly MessagesAnswer[],
  { key, maxTokens }: { key?: string; maxTokens?: number } = {},
) {
  const asked: AskedMessages[] = [];
  const refusals: string[] = [];
  let turn = 0;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const { headers, url, method } = request;
    const one: AskedMessages = { path: new URL(url).pathname, headers, body: await request.json() };
    asked.push(one);
    const refuse = (status: number, type: string, message: string) => {
      refusals.push(message);
      return apiError(status, type, message);
    };
    if (method !== "POST" || one.path !== "/v1/messages") {
      return refuse(404, "not_found_error", "Not found");
    }
    if (key !== undefined && headers.get("x-api-key") !== key) {
      return refuse(401, "authentication_error", `invalid x-api-key: ${headers.get("x-api-key")}`);
    }
    try {
      must(headers.get("anthropic-version") === "2023-06-01", "anthropic-version: is required");
      must(headers.get("content-type") === "application/json", "content-type");
      checkMessagesRequest(one.body, { ...(maxTokens !== undefined && { maxTokens }) });
    } catch (error) {
      return refuse(400, "invalid_request_error", (error as Error).message);
    }
    return await answers[Math.min(turn++, answers.length - 1)]!(one);
  });
  return {
    endpoint: `http://127.0.0.1:${server.addr.port}/v1`,
    host: `127.0.0.1:${server.addr.port}`,
    asked,
    refusals,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function apiError(status: number, type: string, message: string, headers = {}): Response {
  const body = { type: "error", error: { type, message, details: null }, request_id: "req_1" };
  return Response.json(body, { status, headers });
}

/** Fails with a status and an error of the API. */
export function failsWith(
  status: number,
  type: string,
  { message = "Overloaded", headers = {} }: {
    message?: string;
    headers?: Record<string, string>;
  } = {},
): MessagesAnswer {
  return () => apiError(status, type, message, headers);
}

const USAGE: Usage = {
  ...{ input_tokens: 100, output_tokens: 1, cache_creation_input_tokens: 50 },
  ...{ cache_read_input_tokens: 200, cache_creation: null, inference_geo: null },
  ...{ output_tokens_details: null, server_tool_use: null, service_tier: "standard", speed: null },
};

/** The text of a stream of events. */
export function messageEvents(events: readonly (RawMessageStreamEvent | object)[]): string {
  return events.map((event) =>
    `event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`
  ).join("");
}

/** The events of a message with these blocks. */
export function eventsOf(
  blocks: readonly ContentBlock[],
  { stop = "end_turn", explanation = null }: {
    stop?: StopReason;
    explanation?: string | null;
  } = {},
): RawMessageStreamEvent[] {
  const details = { type: "refusal", category: "cyber", explanation } as const;
  const message = {
    ...{ id: "msg_1", type: "message", role: "assistant", model: "claude", content: [] },
    ...{ stop_reason: null, stop_sequence: null, stop_details: null, container: null },
    ...{ usage: USAGE, diagnostics: null },
  } as const;
  return [
    { type: "message_start", message: message as never },
    { type: "ping" } as never,
    ...blocks.flatMap((block, index) => blockEvents(block, index)),
    {
      type: "message_delta",
      delta: {
        ...{ stop_reason: stop, stop_sequence: null, container: null },
        stop_details: stop === "refusal" ? details : null,
      },
      usage: {
        ...{ input_tokens: null, output_tokens: 20, output_tokens_details: null },
        ...{ cache_creation_input_tokens: null, cache_read_input_tokens: null },
        server_tool_use: null,
      },
    },
    { type: "message_stop" },
  ];
}

function blockEvents(block: ContentBlock, index: number): RawMessageStreamEvent[] {
  const pieces = (text: string) => text.match(/[^]{1,5}/g) ?? [];
  const deltas = (): RawMessageStreamEvent[] => {
    const delta = "content_block_delta" as const;
    switch (block.type) {
      case "text":
        return pieces(block.text).map((text) => (
          { type: delta, index, delta: { type: "text_delta", text } }
        ));
      case "thinking":
        return [
          ...pieces(block.thinking).map((thinking) => (
            { type: delta, index, delta: { type: "thinking_delta" as const, thinking } }
          )),
          { type: delta, index, delta: { type: "signature_delta", signature: block.signature } },
        ];
      case "tool_use":
      case "server_tool_use": {
        // A string is input that is not JSON.
        const { input } = block;
        const json = typeof input === "string" ? input : JSON.stringify(input);
        return pieces(json).map((partial_json) => (
          { type: delta, index, delta: { type: "input_json_delta", partial_json } }
        ));
      }
      default:
        return [];
    }
  };
  const start: ContentBlock = block.type === "text"
    ? { ...block, text: "" }
    : block.type === "thinking"
    ? { ...block, thinking: "", signature: "" }
    : block.type === "tool_use" || block.type === "server_tool_use"
    ? { ...block, input: {} }
    : block;
  return [
    { type: "content_block_start", index, content_block: start },
    ...deltas(),
    { type: "content_block_stop", index },
  ];
}

/** A text block. */
export const text = (text: string): ContentBlock => ({ type: "text", text, citations: null });

/** A call of a tool, with a new id. `input` may be a string that is not JSON. */
export const toolUse = (name: string, input: unknown): ContentBlock => ({
  ...{ type: "tool_use", id: `toolu_${crypto.randomUUID().slice(0, 8)}`, name, input },
  caller: { type: "direct" },
});

/** Signed reasoning. */
export const thinking = (thinking: string): ContentBlock => ({
  ...{ type: "thinking", thinking, signature: `EqQB${btoa(thinking)}` },
});

/** Answers with these blocks, streamed. */
export function answers(
  blocks: readonly ContentBlock[],
  options: Parameters<typeof eventsOf>[1] = {},
): MessagesAnswer {
  return () => streamed(messageEvents(eventsOf(blocks, options)), 100);
}

/** Calls tools at the same time. */
export function uses(...calls: [name: string, input: unknown][]): MessagesAnswer {
  const blocks = calls.map(([name, input]) => toolUse(name, input));
  return answers(blocks, { stop: "tool_use" });
}
