/** The tools that ask a model, against a server that checks requests as Anthropic's API does. */
import { expect } from "@std/expect";
import type { ToolResultBlockParam } from "@anthropic-ai/sdk/resources/messages";
import { call, temporaryDirectory, toolcall } from "../../support/executable.ts";
import { png } from "../../support/images.ts";
import {
  answers,
  failsWith,
  type MessagesAnswer,
  messagesServer,
  text,
  thinking,
  toolUse,
  uses,
} from "../../support/messages_server.ts";
import { submitCalls } from "./submitted_calls.ts";

const key = "sk-ant-outside-7Hq2secretKx9";

/** A directory, and a state directory whose model is a server with these answers. */
async function world(...given: MessagesAnswer[]) {
  const [directory, state] = [temporaryDirectory(), temporaryDirectory()];
  const server = messagesServer(given, { key });
  Deno.writeTextFileSync(`${directory.path}/colours.txt`, "red\ngreen\n");
  Deno.writeFileSync(`${directory.path}/dot.png`, await png({ width: 4, height: 4 }));
  const own = [`--state-dir=${state.path}/state`, `--allow-net=${server.host}`];
  const options = { cwd: directory.path, env: { ANTHROPIC_API_KEY: key, OPENAI_API_KEY: "other" } };
  const run = (name: string, args: Record<string, unknown>, flags: string[]) =>
    call(name, args, { ...options, flags: [...own, ...flags] });
  const settings = [
    ["model.endpoint", server.endpoint],
    ["model.api", "anthropic"],
    ["model.default", "claude"],
  ].map(([setting, value]) => ({ name: "Config", arguments: { setting, value } }));
  const set = await submitCalls(settings, { ...options, flags: [...own, "-A"], jobs: 1 });
  expect(set.map(({ isError }) => isError)).toEqual([false, false, false]);
  return {
    ...{ directory: directory.path, state: `${state.path}/state`, server, run },
    /** The results in the last message of a request. */
    resultsIn: (request: number) =>
      server.asked[request]!.body.messages.at(-1)!.content as ToolResultBlockParam[],
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      directory[Symbol.dispose]();
      state[Symbol.dispose]();
    },
  };
}

const task = { description: "A test", prompt: "Go", subagent_type: "general-purpose" };
const idIn = (said: string) => said.match(/agent_[0-9a-f]{12}/)![0];

Deno.test("agent > it works with Anthropic's API, with reasoning, images and failures", async () => {
  await using it = await world(
    answers([
      thinking("Two files at once"),
      toolUse("Read", { file_path: "/etc/hostname" }),
      toolUse("fs_read", { path: "colours.txt" }),
    ], { stop: "tool_use" }),
    failsWith(529, "overloaded_error", { headers: { "retry-after": "0" } }),
    // The real path of the directory is only known when the server answers.
    (asked) => uses(["Read", { file_path: `${it.directory}/dot.png` }])(asked),
    answers([text("A dot, red and green")]),
    answers([text("Green")]),
  );
  const first = await it.run("Agent", task, [`--allow-read=${it.directory}`]);
  expect({ exit: first.exit, refusals: it.server.refusals }).toEqual({ exit: 0, refusals: [] });
  expect(first.text).toContain(
    "A dot, red and green\n\n[Agent " +
      `"${idIn(first.text)}": 3 turns, 1,050 tokens read and 60 written.`,
  );
  const [denied, colours] = it.resultsIn(1);
  expect({ denied: denied!.is_error, colours: colours!.is_error }).toEqual({ denied: true });
  expect(JSON.stringify(denied)).toContain("needs --allow-read=/etc/hostname");
  expect(colours!.content).toEqual([{ type: "text", text: "red\ngreen\n" }]);
  const image = it.resultsIn(3)[0]!.content as { type: string }[];
  expect(image.map(({ type }) => type)).toContain("image");
  // The reasoning is sent back with its signature.
  expect(JSON.stringify(it.server.asked[3]!.body.messages[1])).toContain('"signature":"EqQB');
  const resumed = { ...task, prompt: "And now?", resume: idIn(first.text) };
  const second = await it.run("Agent", resumed, [`--allow-read=${it.directory}`]);
  expect(second.text).toContain("Green\n\n[Agent ");
  expect(it.server.refusals).toEqual([]);
  expect(it.server.asked.at(-1)!.body.messages.length).toBe(7);
});

Deno.test("agent > every tool that -A offers has a definition that Anthropic's API accepts", async () => {
  await using it = await world(answers([text("Done")]));
  const { exit } = await it.run("Agent", task, ["-A"]);
  const names = it.server.asked[0]!.body.tools!.map((tool) => "name" in tool ? tool.name : "");
  expect({ exit, refusals: it.server.refusals }).toEqual({ exit: 0, refusals: [] });
  for (const name of ["Read", "Bash", "fs_read", "TodoWrite"]) expect(names).toContain(name);
});

Deno.test("agent > the model is offered only tools that mcp lists under the same flags", async () => {
  const request = (id: number, method: string, params: unknown) =>
    `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
  const initialize = {
    ...{ protocolVersion: "2025-11-25", capabilities: {} },
    clientInfo: { name: "test", version: "1" },
  };
  const stdin = request(1, "initialize", initialize) +
    '{"jsonrpc":"2.0","method":"notifications/initialized"}\n' + request(2, "tools/list", {});
  const rows = [[], ["-R"], ["-R", "-W"], ["--allow-run=git"], ["-A", "--deny-run"]];
  await using it = await world(...rows.map(() => answers([text("Done")])));
  for (const flags of rows) {
    await it.run("Agent", task, flags);
    const offered = it.server.asked.at(-1)!.body.tools!.map((tool) =>
      "name" in tool ? tool.name : ""
    );
    const { stdout } = await toolcall(["mcp", ...flags, `--allow-net=${it.server.host}`], {
      ...{ stdin, cwd: it.directory },
    });
    const answer = JSON.parse(stdout.trim().split("\n").find((line) => line.includes('"id":2'))!);
    const listed = answer.result.tools.map(({ name }: { name: string }) => name);
    expect(offered.length).toBeGreaterThan(2);
    expect({ flags, more: offered.filter((name) => !listed.includes(name)) })
      .toEqual({ flags, more: [] });
  }
});

Deno.test("agent > a refusal and a wrong key are reported, and the key appears nowhere", async () => {
  await using it = await world(
    uses(["Bash", { command: "env; echo end" }]),
    answers([], { stop: "refusal", explanation: `Not with ${key}` }),
    failsWith(401, "authentication_error", { message: `invalid x-api-key ${key}` }),
  );
  const flags = ["--allow-run=bash,env", "-R"];
  const refused = await it.run("Agent", task, flags);
  expect(refused.text).toContain(
    "[The model's answer was stopped by a filter: Not with [the key]]",
  );
  const wrong = await it.run("Agent", task, flags);
  expect(wrong.text).toContain('HTTP 401, "invalid x-api-key [the key]"');
  expect(wrong.text).toContain('the key came from the variable "ANTHROPIC_API_KEY"');
  const kept = [...Deno.readDirSync(it.state)].filter(({ isFile }) => isFile)
    .map(({ name }) => new TextDecoder().decode(Deno.readFileSync(`${it.state}/${name}`)));
  const sent = it.server.asked.map(({ body }) => JSON.stringify(body));
  const seen = [refused.text, wrong.text, ...sent, ...kept].filter((each) => each.includes(key));
  expect({ requests: it.server.asked.length, seen }).toEqual({ requests: 3, seen: [] });
});

Deno.test("agent > its data contains the numbers of cached tokens", async () => {
  await using it = await world(answers([text("Done")]));
  const { structuredContent } = await it.run("Agent", task, ["--structured"]);
  expect(structuredContent).toMatchObject({
    totalTokens: 370,
    usage: {
      ...{ input_tokens: 100, output_tokens: 20 },
      ...{ cache_creation_input_tokens: 50, cache_read_input_tokens: 200 },
    },
  });
});

Deno.test("web fetch > Anthropic's API answers the prompt about a page", async () => {
  await using it = await world(answers([thinking("Hm"), text("Rivers carry things.")]));
  await using page = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () =>
      new Response("<p>A river carries what it is given</p>", {
        headers: { "content-type": "text/html" },
      }),
  );
  const url = `http://127.0.0.1:${page.addr.port}/`;
  const asked = await it.run("WebFetch", { url, prompt: "What does a river do?" }, [
    `--allow-net=127.0.0.1:${page.addr.port}`,
  ]);
  expect(asked.text).toBe(`Answered by the model ${url}\n\nRivers carry things.`);
  expect(it.server.refusals).toEqual([]);
  expect(JSON.stringify(it.server.asked[0]!.body.messages)).toContain("carries what it is given");
});

Deno.test("doctor > the report names the API, and the variable with its key", async () => {
  await using it = await world(answers([text("Done")]));
  const { stdout } = await toolcall(["doctor", `--state-dir=${it.state}`, "--format=json"], {
    env: { ANTHROPIC_API_KEY: key },
  });
  expect(stdout).toContain("with the key in ANTHROPIC_API_KEY");
  expect(stdout).not.toContain(key);
});
