/** The clients of models wait before they ask again, by the clock. */
// tier: machine
import { expect } from "@std/expect";
import { ChatModel } from "../../../../src/toolkit/llm/chat.ts";
import { answers, failsWith, type MessagesAnswer, text } from "../../../support/messages_server.ts";
import { type Answer, chunk, events, fails, says } from "../../../support/model_server.ts";
import { ask, contextFor, failure, messages, stream } from "./ask_chat.ts";
import { ask as askMessagesApi } from "./ask_messages_api.ts";

Deno.test("chat > the client waits as long as Retry-After says, in seconds or as a date", async () => {
  const waited = async (header: () => string) => {
    const times: number[] = [];
    const noted = (answer: Answer): Answer => (asked) => {
      times.push(performance.now());
      return answer(asked);
    };
    const busy: Answer = (asked) => fails(429, { headers: { "retry-after": header() } })(asked);
    await ask(noted(busy), noted(says("hello")));
    return times[1]! - times[0]!;
  };
  const [seconds, date] = await Promise.all([
    waited(() => "3"),
    // A date has whole seconds, so up to one second is missing.
    waited(() => new Date(Date.now() + 4_000).toUTCString()),
  ]);
  expect(seconds).toBeGreaterThan(2_900);
  expect(date).toBeGreaterThan(2_900);
});

Deno.test("chat > a stream that is always cut and a missing server fail after five tries", async () => {
  const gone = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const endpoint = `http://127.0.0.1:${gone.addr.port}/v1`;
  gone.close();
  const lost = ChatModel.open(contextFor(endpoint)).then((model) => model.complete({ messages }));
  const [cut, missing] = await Promise.all([
    failure(stream(events([chunk({ content: "hel" })], { done: false }))),
    lost.then(() => "no failure", (error) => error.message),
  ]);
  expect(cut.message).toContain("the answer was cut off; tried 5 times");
  expect(cut.requests).toBe(5);
  expect(missing).toContain("no answer");
  expect(missing).toContain("tried 5 times");
});

Deno.test("messages API > the client waits as long as Retry-After says", async () => {
  const times: number[] = [];
  const busy: MessagesAnswer = (asked) => {
    times.push(performance.now());
    return failsWith(429, "rate_limit_error", { headers: { "retry-after": "2" } })(asked);
  };
  const hello: MessagesAnswer = (asked) => {
    times.push(performance.now());
    return answers([text("Hello")])(asked);
  };
  await askMessagesApi([busy, hello]);
  expect(times[1]! - times[0]!).toBeGreaterThan(1_900);
});
