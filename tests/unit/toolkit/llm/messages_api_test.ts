/** The client of a model, tested with a server that checks requests as Anthropic's API does. */
import { expect } from "@std/expect";
import type {
  ContentBlock,
  MessageCreateParamsStreaming,
} from "@anthropic-ai/sdk/resources/messages";
import { AnthropicApi } from "../../../../src/toolkit/llm/anthropic/messages_api.ts";
import { ChatModel, complete } from "../../../../src/toolkit/llm/chat.ts";
import { MAX_CONVERSATION } from "../../../../src/toolkit/llm/context.ts";
import { runLoop } from "../../../../src/toolkit/llm/loop.ts";
import type { Message } from "../../../../src/toolkit/llm/messages.ts";
import type { InnerResult } from "../../../../src/runner/registry/services.ts";
import {
  answers,
  checkMessagesRequest,
  eventsOf,
  failsWith,
  messageEvents,
  type MessagesAnswer,
  messagesServer,
  text,
  thinking,
  toolUse,
  uses,
} from "../../../support/messages_server.ts";
import { streamed } from "../../../support/model_server.ts";
import { ask, contextFor, key, prompt } from "./ask_messages_api.ts";

Deno.test("messages API > a request has the form of the API and the type of the SDK", async () => {
  const { completion, asked, refusals } = await ask([answers([text("Hello ü")])]);
  expect(refusals).toEqual([]);
  expect(completion).toEqual({
    message: { role: "assistant", content: "Hello ü" },
    finish: "stop",
    // The input includes the tokens of the cache.
    usage: { input: 350, output: 20, cache: { read: 200, written: 50 } },
  });
  const [{ path, headers, body }] = asked as [typeof asked[0]];
  expect(path).toBe("/v1/messages");
  expect(headers.get("x-api-key")).toBe(key);
  expect(headers.has("authorization")).toBe(false);
  // The compiler checks the type.
  const expected: MessageCreateParamsStreaming = new AnthropicApi().body("claude", {
    messages: prompt,
  });
  expect(body).toEqual(expected);
  expect(body.system).toEqual([
    { type: "text", text: "Be brief", cache_control: { type: "ephemeral" } },
  ]);
});

Deno.test("messages API > a message is assembled from every form of response", async (t) => {
  const blocks = [thinking("Hm, ü"), text("I look"), toolUse("Grep", { pattern: "ü👋" })];
  const stop = { stop: "tool_use" } as const;
  const all = eventsOf(blocks, stop);
  const whole = {
    ...{ type: "message", role: "assistant", content: blocks, stop_reason: "tool_use" },
    usage: { input_tokens: 350, output_tokens: 20 },
  };
  const rows: [name: string, answer: MessagesAnswer][] = [
    ["one byte at a time", () => streamed(messageEvents(all), 1)],
    ["all at once", () => streamed(messageEvents(all), 100_000)],
    ["no message_stop", () => streamed(messageEvents(all.slice(0, -1)), 50)],
    ["unknown events", () => streamed(messageEvents([{ type: "new" }, ...all]), 50)],
    ["not streamed", () => Response.json(whole)],
  ];
  for (const [name, answer] of rows) {
    await t.step(name, async () => {
      const { completion, error } = await ask([answer]);
      expect(error).toBe("");
      const { message, finish, usage } = completion!;
      const [call] = message.tool_calls!;
      expect({ finish, content: message.content, input: usage?.input, output: usage?.output })
        .toEqual({ finish: "tool_calls", content: "I look", input: 350, output: 20 });
      expect(JSON.parse(call!.function.arguments)).toEqual({ pattern: "ü👋" });
      expect(call!.function.name).toBe("Grep");
      // Signed reasoning is sent back unchanged, before the calls.
      const results: Message = { role: "tool", tool_call_id: call!.id, content: "a.txt" };
      const body: MessageCreateParamsStreaming = new AnthropicApi().body("claude", {
        messages: [...prompt, message, results],
      });
      checkMessagesRequest(body);
      const [, assistant] = body.messages;
      const { caller: _, ...plain } = blocks[2] as unknown as Record<string, unknown>;
      expect(assistant!.content).toEqual([blocks[0], { type: "text", text: "I look" }, plain]);
    });
  }
});

Deno.test("messages API > each stop reason becomes a finish reason", async (t) => {
  const rows = [
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "content_filter"],
    ["pause_turn", "pause_turn"],
  ] as const;
  for (const [stop, finish] of rows) {
    await t.step(stop, async () => {
      const { completion } = await ask([answers([text("So")], { stop, explanation: "not this" })]);
      expect({ finish: completion!.finish, content: completion!.message.content })
        .toEqual({ finish, content: "So" });
      expect(completion!.refusal).toBe(stop === "refusal" ? "not this" : undefined);
    });
  }
  await t.step("a refusal in the middle of a call runs nothing", async () => {
    const { completion } = await ask([
      answers([toolUse("Bash", '{"command": "rm'), text("")], { stop: "refusal" }),
    ]);
    expect(completion!.message.tool_calls).toBe(undefined);
  });
});

Deno.test("messages API > a temporary failure is retried, and a permanent one is reported", async (t) => {
  const hello = answers([text("Hello")]);
  const now = { headers: { "retry-after": "0" } };
  const half = eventsOf([text("Hel")]).slice(0, 5);
  const error = (type: string) => ({ type: "error", error: { type, message: "No room" } });
  const rows: [name: string, requests: number, says: string, ...answers: MessagesAnswer[]][] = [
    ["529", 2, "", failsWith(529, "overloaded_error", now), hello],
    ["429", 2, "", failsWith(429, "rate_limit_error", now), hello],
    ["500", 2, "", failsWith(500, "api_error", now), hello],
    [
      "overloaded in the stream",
      2,
      "",
      () => streamed(messageEvents([...half, error("overloaded_error")]), 50),
      hello,
    ],
    ["a stream that ends early", 2, "", () => streamed(messageEvents(half), 50), hello],
    ["400", 1, 'HTTP 400, "bad"', failsWith(400, "invalid_request_error", { message: "bad" })],
    ["401", 1, 'variable "ANTHROPIC_API_KEY"', failsWith(401, "authentication_error")],
    ["404", 1, "as the setting model.api is anthropic", failsWith(404, "not_found_error")],
    [
      "a wait that is too long",
      1,
      "asks for a wait of 99 s",
      failsWith(429, "rate_limit_error", { headers: { "retry-after": "99" } }),
    ],
    [
      "a permanent error in the stream",
      1,
      '"No room"',
      () => streamed(messageEvents([...half, error("invalid_request_error")]), 50),
    ],
  ];
  // Two of them wait before the retry, so they wait at the same time.
  await Promise.all(rows.map(([name, requests, says, ...given]) =>
    t.step({
      name,
      ...{ sanitizeOps: false, sanitizeResources: false, sanitizeExit: false },
      fn: async () => {
        const { completion, error, asked, refusals } = await ask(given);
        expect({ requests: asked.length, refusals }).toEqual({ requests, refusals: [] });
        if (says === "") expect(completion!.message.content).toBe("Hello");
        else expect(error).toContain(says);
        expect(error).not.toContain(key);
      },
    })
  ));
});

Deno.test("messages API > a smaller limit of the model is used after the first refusal, and kept", async () => {
  await using server = messagesServer([answers([text("Hello")])], { key, maxTokens: 8_192 });
  const model = await ChatModel.open(contextFor(server.endpoint));
  for (let times = 0; times < 2; times++) {
    expect((await model.complete({ messages: prompt })).message.content).toBe("Hello");
  }
  expect(server.asked.map(({ body }) => body.max_tokens)).toEqual([32_000, 8_192, 8_192]);
  expect(server.refusals.length).toBe(1);
  expect(server.refusals[0]).toContain("max_tokens: 32000 > 8192");
});

Deno.test("messages API > a prompt without tools gets its answer, and a refusal is reported", async () => {
  await using server = messagesServer([
    answers([thinking("Hm"), text("It is red.")]),
    answers([text("It is re")], { stop: "max_tokens" }),
    answers([], { stop: "refusal", explanation: "This is about harm" }),
  ]);
  const ctx = contextFor(server.endpoint, { "model.haiku": "small" });
  const question = { system: "Answer.", prompt: "What colour?", model: "haiku" } as const;
  expect(await complete(ctx, question)).toBe("It is red.");
  expect(server.asked[0]!.body.model).toBe("small");
  expect(await complete(ctx, question)).toContain("was cut at its length limit");
  await expect(complete(ctx, question)).rejects.toThrow("stopped by a filter: This is about harm");
  expect(server.refusals).toEqual([]);
});

/** Runs a loop. Calls of the tool `Look` return the result at the index `at`. */
async function loop(given: readonly MessagesAnswer[], results: readonly InnerResult[]) {
  await using server = messagesServer(given, { key });
  const model = await ChatModel.open(contextFor(server.endpoint));
  const definition = { name: "Look", description: "Looks", input_schema: { type: "object" } };
  const saved: Message[][] = [];
  const outcome = await runLoop({
    signal: new AbortController().signal,
    progress: () => {},
    call: ({ arguments: { at } }) => Promise.resolve(results[Number(at)]!),
  }, {
    ...{ model, session: "s", maxTurns: 10, messages: prompt },
    tools: new Map([["Look", { name: "Look", definition, readOnly: true }]]),
    save: (messages) => Promise.resolve(void saved.push([...messages])),
  });
  return { outcome, asked: server.asked, refusals: server.refusals, saved };
}

const png = "iVBORw0KGgo=";
const ok = (words: string): InnerResult => ({
  content: [{ type: "text", text: words }],
  isError: false,
});

Deno.test("messages API > the results of parallel calls are one message, with images and failures", async () => {
  const { outcome, asked, refusals } = await loop([
    uses(["Look", { at: 0 }], ["Look", { at: 1 }], ["Look", { at: 2 }], ["Look", '{"at": '], [
      "a b\u0007",
      {},
    ]),
    answers([text("Done")]),
  ], [
    {
      content: [
        { type: "text", text: "A picture" },
        { type: "image", data: png, mimeType: "image/png" },
        { type: "image", data: "AAAA", mimeType: "image/tiff" },
      ],
      isError: false,
    },
    { ...ok("no such file"), isError: true },
    ok(" \n"),
  ]);
  expect({ text: outcome.text, turns: outcome.turns, refusals })
    .toEqual({ text: "Done", turns: 2, refusals: [] });
  const { messages } = asked[1]!.body;
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  const results = messages[2]!.content as { content: unknown[]; is_error?: boolean }[];
  expect(results.length).toBe(5);
  expect(results.map(({ is_error }) => is_error ?? false)).toEqual([
    false,
    true,
    false,
    true,
    true,
  ]);
  expect(results[0]!.content).toEqual([
    { type: "text", text: "A picture\n[image image/png, 8 bytes]\n[image image/tiff, 3 bytes]" },
    { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
  ]);
  expect(results[1]!.content).toEqual([{ type: "text", text: "Error: no such file" }]);
  expect(JSON.stringify(results[2])).toContain("[white space: ");
  expect(JSON.stringify(results[3])).toContain("are not JSON");
  expect(JSON.stringify(results[4])).toContain("Unknown tool");
});

Deno.test("messages API > a paused turn continues, and the model gets an error for a cut call", async () => {
  const search: ContentBlock = {
    type: "server_tool_use",
    id: "srvtoolu_1",
    name: "web_search",
    input: { query: "x" },
    caller: { type: "direct" },
  };
  const { outcome, asked, refusals } = await loop([
    answers([text("I search"), search], { stop: "pause_turn" }),
    answers([toolUse("Look", '{"at": 0')], { stop: "max_tokens" }),
    answers([text("Done")]),
  ], [ok("never")]);
  expect({ text: outcome.text, turns: outcome.turns, refusals })
    .toEqual({ text: "Done", turns: 3, refusals: [] });
  expect(asked[1]!.body.messages.at(-1)).toEqual({
    role: "assistant",
    content: [{ type: "text", text: "I search" }, search],
  });
  expect(JSON.stringify(asked[2]!.body.messages.at(-1))).toContain("are not JSON");
});

Deno.test("messages API > a conversation with too many images continues without the oldest images", async () => {
  const big = `${png.slice(0, 11)}${"A".repeat(2_000_000)}`;
  const picture: InnerResult = {
    content: [{ type: "image", data: big, mimeType: "image/png" }],
    isError: false,
  };
  const four = uses(...Array.from({ length: 4 }, (): [string, unknown] => ["Look", { at: 0 }]));
  const { outcome, asked, refusals } = await loop(
    [four, four, four, four, answers([text("Done")])],
    [picture],
  );
  expect({ finish: outcome.finish, refusals }).toEqual({ finish: "stop", refusals: [] });
  const images = asked.map(({ body }) => JSON.stringify(body).match(/"media_type"/g)?.length ?? 0);
  expect(Math.max(...images)).toBeGreaterThan(3);
  // An image of two million characters counts as 31,250.
  expect(Math.max(...images)).toBeLessThan(MAX_CONVERSATION / 31_250 + 1);
});

Deno.test("messages API > a conversation that began with another API continues", async () => {
  const messages: Message[] = [
    ...prompt,
    {
      role: "assistant",
      content: " ",
      tool_calls: [{
        ...{ id: "call:1/ü", type: "function" },
        function: { name: "Look", arguments: "" },
      }],
      reasoning_content: "Hm",
    },
    { role: "tool", tool_call_id: "call:1/ü", content: "x" },
    { role: "assistant", content: "So" },
    { role: "user", content: "  " },
  ];
  const { completion, refusals } = await ask([answers([text("Hello")])], { messages });
  expect({ content: completion?.message.content, refusals })
    .toEqual({ content: "Hello", refusals: [] });
});
