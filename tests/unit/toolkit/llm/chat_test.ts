import { expect } from "@std/expect";
import { ChatModel, complete } from "../../../../src/toolkit/llm/chat.ts";
import {
  type Answer,
  calls,
  chunk,
  events,
  fails,
  modelServer,
  says,
  streamed,
  usage,
} from "../../../support/model_server.ts";
import { nextTurn, pause } from "../../../support/wait.ts";
import { ask, contextFor, failure, json, key, messages, stream } from "./ask_chat.ts";

const finished = chunk({}, "tool_calls");
const callPiece = (piece: unknown) => chunk({ tool_calls: [piece] });
const grep = { name: "Grep", arguments: '{"pattern":"ü"}' };

Deno.test("chat > a request has the form of the API", async () => {
  await using server = modelServer(says("hello"));
  const tool = {
    type: "function" as const,
    function: { name: "Read", description: "Reads", parameters: { type: "object" } },
  };
  const model = await ChatModel.open(contextFor(`${server.endpoint}/`, { key: ` ${key}\n` }));
  const { message, finish, usage } = await model.complete({ messages, tools: [tool] });
  expect({ message, finish, usage }).toEqual({
    message: { role: "assistant", content: "hello" },
    finish: "stop",
    usage: { input: 100, output: 10 },
  });
  const [asked] = server.asked;
  expect(asked!.path).toBe("/v1/chat/completions");
  expect(asked!.headers.get("authorization")).toBe(`Bearer ${key}`);
  expect(asked!.body).toEqual({
    model: "llama",
    messages,
    tools: [tool],
    stream: true,
    stream_options: { include_usage: true },
  });
});

Deno.test("chat > a request contains no key and no tools if none are set", async () => {
  await using server = modelServer(says("hello"));
  await (await ChatModel.open(contextFor(server.endpoint))).complete({ messages });
  expect(server.asked[0]!.headers.has("authorization")).toBe(false);
  expect("tools" in server.asked[0]!.body).toBe(false);
});

Deno.test("chat > a prompt gets its answer, and a cut answer says so", async () => {
  await using server = modelServer(says("It is red."), says("It is re", "length"), says(""));
  const ctx = contextFor(server.endpoint, { values: { "model.haiku": "small" } });
  const question = { system: "Answer.", prompt: "What colour?", model: "haiku" } as const;
  expect(await complete(ctx, question)).toBe("It is red.");
  expect(server.asked[0]!.body.model).toBe("small");
  expect(await complete(ctx, question)).toContain("was cut at its length limit");
  await expect(complete(ctx, question)).rejects.toThrow("was empty");
});

Deno.test("chat > a text is assembled from every form of response", async (t) => {
  const text = "Grüße 👋 und\nZeilen";
  const pieces = [...text].map((character) => chunk({ content: character }));
  const stop = chunk({}, "stop");
  const rows: [name: string, answer: Answer][] = [
    ["one byte at a time", stream(events([...pieces, stop]), 1)],
    ["all at once", stream(events([...pieces, stop]), 100_000)],
    ["lines that end in CRLF", stream(events([...pieces, stop]).replaceAll("\n", "\r\n"))],
    ["comments and other fields", stream(`: hi\n\nevent: x\nid: 1\n${events([...pieces, stop])}`)],
    ["no [DONE]", stream(events([...pieces, stop], { done: false }))],
    ["no reason for the end", stream(events(pieces))],
    ["no blank line at the end", stream(events([...pieces, stop]).trimEnd())],
    ["a byte order mark", stream(`\ufeff${events([...pieces, stop])}`)],
    ["events of another type", () => new Response(events([...pieces, stop]))],
    ["parts", stream(events([chunk({ content: [{ type: "text", text }] }), stop]))],
    ["a refusal", stream(events([chunk({ content: null, refusal: text }), stop]))],
    [
      "reasoning beside the text",
      stream(events([chunk({ reasoning_content: "Hm" }), ...pieces, stop])),
    ],
    ["not streamed", json({ choices: [{ message: { content: text }, finish_reason: "stop" }] })],
  ];
  for (const [name, answer] of rows) {
    await t.step(name, async () => {
      const { message, finish, requests } = await ask(answer);
      expect({ message, finish }).toEqual({
        message: { role: "assistant", content: text },
        finish: "stop",
      });
      expect(requests).toBe(1);
    });
  }
});

Deno.test("chat > tool calls are assembled from every form of response", async (t) => {
  const wanted: [string, string][] = [["Grep", '{"pattern":"ü"}'], ["Read", '{"file_path":"/a"}']];
  const read = { name: "Read", arguments: '{"file_path":"/a"}' };
  const [start, rest] = [read.arguments.slice(0, 9), read.arguments.slice(9)];
  const message = {
    role: "assistant",
    content: null,
    tool_calls: [
      { id: "a", type: "function", function: grep },
      { id: "b", type: "function", function: read },
    ],
  };
  const rows: [name: string, answer: Answer][] = [
    ["the form of OpenAI", calls(...wanted)],
    [
      "alternating pieces",
      stream(events([
        callPiece({ index: 0, id: "a", function: { name: "Grep", arguments: "" } }),
        callPiece({ index: 1, id: "b", function: { name: "Read", arguments: start } }),
        callPiece({ index: 0, function: { arguments: grep.arguments } }),
        callPiece({ index: 1, function: { arguments: rest } }),
        finished,
      ])),
    ],
    [
      "no index",
      stream(events([
        callPiece({ id: "a", function: grep }),
        callPiece({ id: "b", function: { name: "Read", arguments: start } }),
        callPiece({ function: { arguments: rest } }),
        finished,
      ])),
    ],
    [
      "no id",
      stream(events([
        callPiece({ index: 0, function: grep }),
        callPiece({ index: 1, function: { name: "Read", arguments: start } }),
        callPiece({ index: 1, function: { arguments: rest } }),
        finished,
      ])),
    ],
    [
      "every index 0",
      stream(events([
        callPiece({ index: 0, id: "a", function: grep }),
        callPiece({ index: 0, id: "b", function: read }),
        finished,
      ])),
    ],
    [
      "the name and id in each piece",
      stream(events([
        callPiece({ index: 0, id: "a", function: grep }),
        callPiece({ index: 1, id: "b", function: { name: "Read", arguments: start } }),
        callPiece({ index: 1, id: "b", function: { name: "Read", arguments: rest } }),
        finished,
      ])),
    ],
    [
      "arguments as an object",
      stream(events([
        callPiece({ index: 0, id: "a", function: { name: "Grep", arguments: { pattern: "ü" } } }),
        callPiece({ index: 1, id: "b", function: read }),
        finished,
      ])),
    ],
    ["not streamed", json({ choices: [{ message, finish_reason: "tool_calls" }] })],
  ];
  for (const [name, answer] of rows) {
    await t.step(name, async () => {
      const { message: { content, tool_calls = [] } } = await ask(answer);
      expect(content).toBe(null);
      expect(tool_calls.map((call) => [call.function.name, call.function.arguments]))
        .toEqual(wanted);
      expect(new Set(tool_calls.map(({ id }) => id)).size).toBe(2);
      expect(tool_calls.every(({ id, type }) => id !== "" && type === "function")).toBe(true);
    });
  }
});

Deno.test("chat > reasoning and extra content of a tool call are kept for the next request", async () => {
  const signed = { google: { thought_signature: "abc" } };
  const { message } = await ask(stream(events([
    chunk({ reasoning_content: "I " }),
    chunk({ reasoning_content: "think" }),
    callPiece({ index: 0, id: "a", function: grep, extra_content: signed }),
    finished,
  ])));
  expect(message.reasoning_content).toBe("I think");
  expect(message.tool_calls?.[0]?.extra_content).toEqual(signed);
});

Deno.test("chat > a temporary failure is retried", async (t) => {
  const half = events([chunk({ content: "hel" })], { done: false });
  const rows: [name: string, first: Answer][] = [
    ...[429, 500, 502, 503, 504, 529].map((status): [string, Answer] => [
      `status ${status}`,
      fails(status, { headers: { "retry-after": "0" } }),
    ]),
    ["no header", fails(500)],
    ["a date in the past", fails(503, { headers: { "retry-after": new Date(0).toUTCString() } })],
    ["a stream that ends early", stream(half)],
    ["a stream cut in an event", stream(`${half}data: {"choi`)],
    ["an event that is not JSON", stream(`data: {"choi\n\n${events([])}`)],
    ["a stream that breaks off", () => broken(half)],
    ["an error in the stream", stream(`${half}data: {"error":{"message":"busy","code":503}}\n\n`)],
    ["an empty answer", stream(events([]))],
    ["an error with status 200", json({ error: { message: "busy" } })],
  ];
  await Promise.all(rows.map(([name, first]) =>
    t.step({
      name,
      ...{ sanitizeOps: false, sanitizeResources: false, sanitizeExit: false },
      fn: async () => {
        const { message, requests } = await ask(first, says("hello"));
        expect({ content: message.content, requests }).toEqual({ content: "hello", requests: 2 });
      },
    })
  ));
});

Deno.test("chat > a permanent failure has the message of the server and the number of tries", async (t) => {
  const rows: [name: string, requests: number, says: string[], ...answers: Answer[]][] = [
    ["500", 5, ["HTTP 500", '"It is too much"', "tried 5 times"], again(500)],
    ["429", 5, ["HTTP 429", "tried 5 times"], again(429)],
    ["400", 1, ["HTTP 400", '"It is too much"', '"llama"', "127.0.0.1"], fails(400)],
    ["404", 1, ["HTTP 404"], fails(404)],
    ["a wait that is too long", 1, [
      "asks for a wait of 61 s; the maximum is 60 s",
    ], fails(429, { headers: { "retry-after": "61" } })],
    [
      "a redirect",
      1,
      ["HTTP 308", "it has moved to http://elsewhere/v1"],
      () => new Response(null, { status: 308, headers: { location: "http://elsewhere/v1" } }),
    ],
    [
      "a page",
      1,
      ["is no chat completion but text/html", "<h1>It works"],
      () => new Response("<h1>It works</h1>", { headers: { "content-type": "text/html" } }),
    ],
    [
      "an error page",
      1,
      ["HTTP 404", "<p>"],
      () => new Response("<p>".repeat(50_000), { status: 404 }),
    ],
    [
      "the form of FastAPI",
      1,
      ['HTTP 422, "no such field"'],
      () => Response.json({ detail: [], error: { detail: "no such field" } }, { status: 422 }),
    ],
    ["no body", 1, ["HTTP 418"], () => new Response(null, { status: 418 })],
    ["control characters", 1, ["a \\u001b[31m b"], fails(400, { message: "a \u001b[31m\r\n b" })],
    [
      "a permanent error in the stream",
      1,
      ["the server reports an error", "bad tool"],
      stream('data: {"error":{"message":"bad tool","code":400}}\n\n'),
    ],
    ["an endless answer", 1, ["longer than 8388608 characters"], () => endless("x".repeat(4096))],
    ["endless comments", 1, ["larger than 67108864 bytes"], () => endless("")],
    ["endless JSON", 1, ["larger than 67108864 bytes"], () => endless("", "application/json")],
  ];
  for (const [name, requests, parts, ...answers] of rows) {
    await t.step(name, async () => {
      const failed = await failure(...answers);
      for (const part of parts) expect(failed.message).toContain(part);
      expect(failed.message.length).toBeLessThan(700);
      expect(failed.message).toMatch(/^Cannot get an answer from the model "llama" at "http:/);
      expect(failed.requests).toBe(requests);
    });
  }
});

Deno.test("chat > the error for a refused key names its variable, and no error shows the key", async () => {
  const echo = `Incorrect API key provided: ${key}. Bearer ${key}`;
  const answers: Answer[] = [
    fails(401, { message: echo }),
    fails(403, { message: echo }),
    fails(500, { message: echo, headers: { "retry-after": "0" } }),
    // No part of the key may remain at the place where the message is cut.
    ...Array.from(
      { length: 40 },
      (_, more) => fails(400, { message: "x".repeat(270 + more) + key }),
    ),
    stream(`data: {"error":{"message":${JSON.stringify(echo)},"code":400}}\n\n`),
    () => new Response(echo, { headers: { "content-type": "text/plain" } }),
    () => new Response(null, { status: 302, headers: { location: `http://x/?key=${key}` } }),
  ];
  let seen = 0;
  for (const answer of answers) {
    const { message } = await failure(answer);
    expect(message).toContain("Cannot get an answer");
    if (message.includes(key.slice(0, 6))) seen++;
  }
  expect({ tried: answers.length, seen }).toEqual({ tried: 46, seen: 0 });
  expect((await failure(fails(401))).message).toContain(
    'the key came from the variable "LLAMA_KEY"',
  );
  await using server = modelServer(fails(401));
  const model = await ChatModel.open(contextFor(server.endpoint));
  await expect(model.complete({ messages })).rejects.toThrow('variable "LLAMA_KEY" is not set');
  const bad = ChatModel.open(contextFor(server.endpoint, { key: "a\nb-secret" }));
  const refused = await bad.then(() => "taken", (error) => error.message);
  expect(refused).toContain('"LLAMA_KEY" contains no key');
  expect(refused).not.toContain("secret");
});

Deno.test("chat > the key is removed from the answers of a model, but a placeholder key stays", async () => {
  const rows: [key: string, said: string, comes: string][] = [
    [key, `It is ${key}.`, "It is [the key]."],
    ['quote"d-key', 'It is quote"d-key', "It is [the key]"],
    ["none", "There is none", "There is none"],
  ];
  for (const [own, said, comes] of rows) {
    await using server = modelServer(calls(["Read", { file_path: said }]), says(said));
    const ctx = contextFor(server.endpoint, { key: own });
    const model = await ChatModel.open(ctx);
    const called = await model.complete({ messages });
    const [made] = called.message.tool_calls!;
    expect(JSON.parse(made!.function.arguments)).toEqual({ file_path: comes });
    expect(await complete(ctx, { system: "s", prompt: "p" })).toBe(comes);
  }
});

Deno.test("chat > a server that refuses stream_options is asked again without them", async () => {
  await using server = modelServer(
    fails(422, { message: "stream_options: extra inputs are not permitted" }),
    says("one"),
    says("two"),
  );
  const model = await ChatModel.open(contextFor(server.endpoint));
  expect((await model.complete({ messages })).message.content).toBe("one");
  expect((await model.complete({ messages })).message.content).toBe("two");
  expect(server.asked.map(({ body }) => "stream_options" in body)).toEqual([true, false, false]);
});

/** Sends three parts, and then nothing more. */
function stalling(): Response {
  let sent = 0;
  return endless("word ", "text/event-stream", () => ++sent < 4);
}

Deno.test("chat > a signal ends the request, its stream and the wait before a retry", async (t) => {
  const rows: [name: string, abortAt: "request" | "part" | "end", answer: Answer][] = [
    ["before the headers", "request", () => streamed(events([chunk({ content: "late" })]))],
    ["in the stream", "part", stalling],
    ["in a stream that ignores the signal", "part", stalling],
    ["in the wait before a retry", "end", fails(429, { headers: { "retry-after": "50" } })],
  ];
  for (const [name, abortAt, answer] of rows) {
    await t.step(name, async () => {
      const controller = new AbortController();
      const [reached, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      await using server = modelServer(async (asked) => {
        if (abortAt === "request") {
          reached.resolve();
          await over.promise;
        }
        return answer(asked);
      });
      const ctx = contextFor(server.endpoint, {
        signal: controller.signal,
        ignoresSignal: name.includes("ignores"),
        onBody: (event) => event === abortAt && reached.resolve(),
      });
      const asking = (await ChatModel.open(ctx)).complete({ messages }).catch((error) => error);
      await Promise.race([reached.promise, asking]);
      await nextTurn();
      const start = performance.now();
      controller.abort();
      const error = await asking;
      over.resolve();
      expect(error.name).toBe("AbortError");
      // The server asks for a wait of 50 s.
      expect(performance.now() - start).toBeLessThan(40_000);
      expect(server.asked.length).toBe(1);
    });
  }
});

Deno.test("chat > a usage that every chunk repeats is counted once", async () => {
  const { usage: counted } = await ask(
    stream(events([usage(10, 1), chunk({ content: "a" }), usage(10, 2), chunk({}, "stop")])),
  );
  expect(counted).toEqual({ input: 10, output: 2 });
});

function again(status: number): Answer {
  return fails(status, { headers: { "retry-after": "0" } });
}

/** A stream that sends a string and then fails. */
function broken(text: string): Response {
  let said = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (said) {
        await pause(100, "The server is slow on purpose: the client reads before the stream fails");
        return controller.error(new Error("The server fell over"));
      }
      said = true;
      controller.enqueue(new TextEncoder().encode(text));
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** An endless stream of chunks with `content`, or of comments. It stalls when `more` returns false. */
function endless(content: string, type = "text/event-stream", more = () => true): Response {
  const text = content === ""
    ? `: ${"-".repeat(65_536)}\n\n`
    : `data: ${JSON.stringify(chunk({ content }))}\n\n`;
  const bytes = new TextEncoder().encode(text);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (more()) controller.enqueue(bytes);
      else await new Promise(() => {});
    },
  });
  return new Response(body, { headers: { "content-type": type } });
}
