/** Requests of servers during a call: forms for the user, questions to a model, and roots. */
import { expect } from "@std/expect";
import { fileURLToPath } from "node:url";
import type { Result } from "../../support/executable.ts";
import { type World, world } from "../../support/mcp/client_world.ts";
import { type Message, Peer } from "../../support/mcp/peer.ts";
import { modelServer, says } from "../../support/model_server.ts";
import { waitFor } from "../../support/wait.ts";

const asking = {
  command: Deno.execPath(),
  args: [
    ...["run", "-A", "--quiet", "--no-config"],
    fileURLToPath(new URL("../../support/mcp/servers/asking.ts", import.meta.url)),
  ],
};

/** A world with a server that asks, and with a program that answers by the words of the question. */
function askingWorld(): World {
  const place = world(() => ({ it: { ...asking, sampling: true }, shy: asking }));
  const answers = { "Your name": "Ada", colour: "green", age: "36" };
  Deno.writeTextFileSync(
    `${place.path}/answer`,
    `#!/bin/sh
tee '${place.path}/questions' | '${Deno.execPath()}' eval '
const { questions } = JSON.parse(await new Response(Deno.stdin.readable).text());
const known = Object.entries(${JSON.stringify(answers)});
const answerOf = (text) => known.find(([key]) => text.includes(key))?.[1] ?? "Decline";
const answers = questions.map(({ question }) => [question, answerOf(question)]);
console.log(JSON.stringify({ answers: Object.fromEntries(answers) }));
'`,
    { mode: 0o755 },
  );
  return place;
}

const ASK = ["--allow-mcp", "--ask=exec:./answer"];

Deno.test("mcp client > a form of a server is shown with escaped text if --ask allows it", async () => {
  using place = askingWorld();
  const { text } = await place.call("mcp__it__form", {}, ASK);
  const content = { name: "Ada", colour: "green", age: 36 };
  expect(JSON.parse(text).result).toEqual({ action: "accept", content });
  const asked = Deno.readTextFileSync(`${place.path}/questions`);
  const { questions } = JSON.parse(asked) as { questions: { question: string }[] };
  for (const { question } of questions) expect(question).toMatch(/^The MCP server "it" asks:/);
  expect(asked).not.toContain("\u001b");
  expect(questions[0]!.question).toContain("\\u001b[31m earlier questions");
});

Deno.test("mcp client > a form for a secret and a request that is not allowed are refused with the reason", async () => {
  using place = askingWorld();
  const without = await place.call("mcp__it__form", {}, ["--allow-mcp"]);
  expect(JSON.parse(without.text).error.message).toMatch(/--ask=terminal or --ask=exec:PROGRAM/);
  const rows: [tool: string, why: RegExp][] = [
    ["mcp__it__secret", /looks like a secret/],
    ["mcp__shy__sample", /"sampling": true/],
    ["mcp__it__sample", /No model is configured/],
    ["mcp__it__roots", /does not answer roots\/list/],
    ["mcp__it__other", /does not answer rm\/rf/],
  ];
  const { stdout } = await place.run(ASK, {
    stdin: JSON.stringify(rows.map(([name]) => ({ name, arguments: {} }))),
  });
  const results = JSON.parse(stdout) as Result[];
  expect(results).toHaveLength(rows.length);
  for (const [at, [, why]] of rows.entries()) {
    expect(JSON.parse(results[at]!.content[0]!.text).error.message).toMatch(why);
  }
});

Deno.test("mcp client > a server gets the directories of the read grant as roots", async () => {
  using place = askingWorld();
  const { text } = await place.call("mcp__it__roots", {}, ["--allow-mcp", "--allow-read=home"]);
  const path = `${place.path}/home`;
  expect(JSON.parse(text).result.roots).toEqual([{ uri: `file://${path}`, name: path }]);
});

Deno.test("mcp client > the configured model answers a server at most ten times in one call", async () => {
  await using model = modelServer(says("Paris"));
  using place = askingWorld();
  const settings = { "model.endpoint": model.endpoint, "model.default": "m" };
  for (const [setting, value] of Object.entries(settings)) {
    await place.call("Config", { setting, value }, ["-A"]);
  }
  const refused = await place.call("mcp__it__sample", {}, ["--allow-mcp"]);
  expect(JSON.parse(refused.text).error.message).toMatch(/--allow-net=/);
  const flags = ["--allow-mcp", `--allow-net=${model.host}`];
  const { text } = await place.call("mcp__it__sample", {}, flags);
  const { content, role } = JSON.parse(text).result;
  expect({ content, role }).toEqual({
    content: { type: "text", text: "Paris" },
    role: "assistant",
  });
  expect(model.asked.at(-1)!.body.messages).toEqual([
    { role: "user", content: "What is the capital of France?" },
  ]);
  const loop = JSON.parse((await place.call("mcp__it__loop", {}, flags)).text);
  expect(loop.answered).toBe(10);
  expect(loop.last.error.message).toMatch(/at most 10 requests/);
});

Deno.test("mcp client > a form in a gateway goes to the MCP client and names the server", async () => {
  using place = askingWorld();
  await using peer = Peer.start(["--allow-mcp", `--state-dir=${place.path}/state`], {
    cwd: place.path,
  });
  await peer.initialize({ capabilities: { elicitation: {} } });
  const answer = peer.call("mcp__it__form");
  const isForm = ({ method }: Message) => method === "elicitation/create";
  const form = await waitFor("a form", () => peer.unasked.find(isForm));
  expect(form.params!["message"]).toMatch(/^The MCP server "it" asks: Ignore all/);
  const result = { action: "accept", content: { name: "Eve" } };
  await peer.write(`${JSON.stringify({ jsonrpc: "2.0", id: form.id, result })}\n`);
  expect(JSON.parse((await answer).result.content[0].text).result).toEqual(result);
});
