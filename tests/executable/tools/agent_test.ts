/** The agent against a real server, with the engine's own services and the real executable. */
import { expect } from "@std/expect";
import { Servers } from "../../../src/runner/call/servers.ts";
import { servicesFor } from "../../../src/runner/call/services.ts";
import { boundConversation } from "../../../src/toolkit/llm/context.ts";
import { Registry } from "../../../src/runner/registry/registry.ts";
import { entries } from "../../../tools/_generated/index.ts";
import agent from "../../../tools/agent.ts";
import { call, executable, temporaryDirectory } from "../../support/executable.ts";
import { type Answer, calls, fails, modelServer, says } from "../../support/model_server.ts";
import { processesWith, uniqueSeconds } from "../../support/processes.ts";
import { contextFor } from "../../support/tool_context.ts";
import { until } from "../../support/wait.ts";
import { submitCalls } from "./submitted_calls.ts";

const providers = () => import("../../../src/toolkit/provider/providers.ts");
const commands = () => import("../../../src/toolkit/process/run_command.ts");

Deno.env.set("TOOLCALL_EXECUTABLE", executable);
const { metadata, validate } = await entries.find(({ name }) => name === "Agent")!.load();

type Args = Record<string, unknown>;

/** A directory with a file, a state directory, and agents there whose model gives these answers. */
async function world(...answers: Answer[]) {
  const directory = temporaryDirectory();
  const state = temporaryDirectory();
  const server = modelServer(...answers);
  Deno.writeTextFileSync(`${directory.path}/colours.txt`, "red\ngreen\n");
  const own = `--state-dir=${state.path}/state`;
  const settings = { "model.endpoint": server.endpoint, "model.default": "llama" };
  const set = await submitCalls(
    Object.entries(settings).map(([setting, value]) => ({
      name: "Config",
      arguments: { setting, value },
    })),
    { flags: ["-A", own], jobs: 1 },
  );
  expect(set.map(({ isError }) => isError)).toEqual([false, false]);
  const progress: string[] = [];
  const running = { now: 0, most: 0, sessions: new Set<string>() };
  return {
    ...{
      directory: directory.path,
      state: `${state.path}/state`,
      asked: server.asked,
      progress,
      running,
    },
    /** Runs the tool with these flags. */
    async run(
      args: Args,
      { flags = ["-A"], controller = new AbortController() } = {},
    ): Promise<string> {
      const full: Args = { description: "A test", subagent_type: "general-purpose", ...args };
      if (!validate(full)) throw new Error(JSON.stringify(validate.errors));
      const services = servicesFor(metadata, {
        ...{ registry: new Registry(entries), grants: { all: true, allow: {}, deny: {} } },
        ...{
          cwd: directory.path,
          listeners: { cancelSignal: () => controller.signal },
          unconfinedRun: false,
          limits: {},
          strict: false,
          session: "test",
        },
        ...{
          program: { directory: "", workerModule: "", isBundled: true, providers, commands },
          stateDir: `${state.path}/state`,
        },
        ask: { screen: { isTerminal: () => false, write: () => Promise.resolve(0) } },
        servers: new Servers({
          ...{ root: directory.path, environment: () => ({}) },
          grants: { all: true, allow: {}, deny: {} },
        }),
        flags: [...flags, own, `--root=${directory.path}`],
      }, controller.signal);
      const ctx = contextFor(directory.path, {
        signal: controller.signal,
        async serve(service, args) {
          if (service === "progress") progress.push(String(args[0]));
          if (service !== "call") return await services.serve(service, args);
          running.most = Math.max(running.most, ++running.now);
          running.sessions.add((args[0] as { session: string }).session);
          return await services.serve(service, args).finally(() => running.now--);
        },
      });
      try {
        return await agent.run(full as never, ctx) as string;
      } finally {
        services.close();
      }
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      directory[Symbol.dispose]();
      state[Symbol.dispose]();
    },
  };
}

const idIn = (text: string) => text.match(/agent_[0-9a-f]{12}/)![0];
const failed = (work: Promise<string>) =>
  work.then((text) => `no failure: ${text}`, (error) => error.message as string);
/** The results of tools in the request to the model with this index. */
const toolAnswers = (
  { asked }: { asked: { body: { messages: { role: string; content: unknown }[] } }[] },
  at: number,
) =>
  asked[at]!.body.messages.filter(({ role }) => role === "tool").map(({ content }) =>
    String(content)
  );

Deno.test("agent > it calls tools until it has an answer, and says how to continue", async () => {
  await using it = await world(
    calls(["fs_read", { path: "colours.txt" }]),
    calls(["Grep", { pattern: "green", output_mode: "content" }]),
    says("The second colour is green."),
  );
  const text = await it.run({ prompt: "Which is the second colour?", name: "Ada", team_name: "B" });
  const id = idIn(text);
  expect(text).toBe(
    "The second colour is green.\n\n" +
      `[Agent "${id}": 3 turns, 500 tokens read and 50 written. To continue: resume "${id}"]`,
  );
  const [first] = it.asked;
  expect(first!.body.messages.map(({ role }) => role)).toEqual(["system", "user"]);
  expect(first!.body.messages[0]!.content).toContain(it.directory);
  expect(first!.body.messages[0]!.content).toContain('Your name is "Ada"');
  expect(first!.body.messages[1]!.content).toBe("Which is the second colour?");
  const offered = first!.body.tools!.map((tool) => tool.function.name);
  for (const name of ["Read", "Edit", "Bash", "fs_read"]) expect(offered).toContain(name);
  for (const name of ["Agent", "Task", "AskUserQuestion", "ExitPlanMode"]) {
    expect(offered).not.toContain(name);
  }
  for (const name of offered) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  const [file, found] = toolAnswers(it, 2);
  expect(file).toBe("red\ngreen\n");
  expect(found).toContain("2:green");
  // Each answer refers to its call.
  const [, , asked, answered] = it.asked[2]!.body.messages;
  expect(answered!.tool_call_id).toBe(asked!.tool_calls![0]!.id);
  expect(it.progress).toEqual(["turn 1: fs_read", "turn 2: Grep"]);
  expect([...it.running.sessions]).toEqual([id]);
});

Deno.test("agent > calls that only read run at the same time, and other calls run in order", async () => {
  const read = ["fs_read", { path: "colours.txt" }] as [string, unknown];
  /** A command that fails while another one runs. */
  const alone = (word: string): [string, unknown] => [
    "Bash",
    { command: `mkdir busy && echo ${word} >> order.txt && rmdir busy` },
  ];
  await using it = await world(
    calls(read, ["Glob", { pattern: "*" }], ["Grep", { pattern: "red" }], read),
    says("read"),
    calls(alone("one"), read, alone("two"), alone("three")),
    says("written"),
  );
  await it.run({ prompt: "Read" });
  expect(it.running.most).toBe(4);
  expect(toolAnswers(it, 1).length).toBe(4);
  it.running.most = 0;
  await it.run({ prompt: "Write" });
  expect(it.running.most).toBe(1);
  expect(Deno.readTextFileSync(`${it.directory}/order.txt`)).toBe("one\ntwo\nthree\n");
  expect(toolAnswers(it, 3)[1]).toBe("red\ngreen\n");
});

Deno.test("agent > an error in a call is reported to the model, which continues", async (t) => {
  const rows: [name: string, tool: string, args: unknown, answer: string | RegExp][] = [
    [
      "incomplete JSON",
      "Read",
      '{"file_path": "/a',
      /^Error: Cannot call "Read": its arguments are not JSON .*"\{\\"file_path\\": \\"\/a"/,
    ],
    [
      "an array as arguments",
      "Read",
      "[1]",
      /^Error: .*its arguments are not an object; they were "\[1\]"/,
    ],
    ["an unknown tool", "Raed", {}, 'Error: Unknown tool "Raed"; did you mean "Read"?'],
    [
      "an unknown tool without a similar name",
      "zzzz",
      {},
      'Error: Unknown tool "zzzz"; call one of the offered tools',
    ],
    ["a name that APIs refuse", "a b\u001b[1m", {}, /^Error: Unknown tool "a b\\u001b\[1m"/],
    ["a name of an object's property", "constructor", {}, /^Error: Unknown tool "constructor"/],
    ["the agent itself", "Agent", { prompt: "x" }, /^Error: Unknown tool "Agent"/],
    [
      "arguments that violate the schema",
      "fs_read",
      { paths: 1 },
      /^Error: Invalid arguments for "fs\.read":\n- /,
    ],
    ["a failure", "fs_read", { path: "missing" }, /^Error: .*missing/],
    ["no arguments", "fs_list", "", /^Error: Invalid arguments|colours\.txt/],
  ];
  for (const [name, tool, args, answer] of rows) {
    await t.step(name, async () => {
      await using it = await world(calls([tool, args]), says("I see"));
      expect(await it.run({ prompt: "Go" })).toContain("I see\n");
      const [given] = toolAnswers(it, 1);
      if (typeof answer === "string") expect(given).toBe(answer);
      else expect(given).toMatch(answer);
      // Servers refuse every later request if the conversation has a call with invalid JSON.
      for (const { tool_calls = [] } of it.asked[1]!.body.messages) {
        for (const { function: { name, arguments: text } } of tool_calls) {
          expect(typeof JSON.parse(text)).toBe("object");
          expect(Array.isArray(JSON.parse(text))).toBe(false);
          expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        }
      }
    });
  }
});

Deno.test("agent > it has at most the permissions of its caller", async () => {
  await using it = await world(
    calls(
      ["fs_read", { path: "colours.txt" }],
      ["Read", { file_path: "/etc/hostname" }],
      ["fs_write", { path: "new.txt", content: "x" }],
      ["Bash", { command: "id" }],
    ),
    says("done"),
  );
  await it.run({ prompt: "Try" }, { flags: [`--allow-read=${it.directory}`] });
  const [inside, outside, write, run] = toolAnswers(it, 1);
  expect(inside).toBe("red\ngreen\n");
  expect(outside).toContain("Error: Permission denied: reading");
  expect(outside).toContain("--allow-read=");
  expect(write).toContain("--allow-write=");
  expect(run).toContain("--allow-run=bash");
  expect([...Deno.readDirSync(it.directory)].map(({ name }) => name)).toEqual(["colours.txt"]);
});

Deno.test("agent > an agent of type explore or plan has only tools that read", async (t) => {
  const rows: Args[] = [
    { subagent_type: "explore" },
    { subagent_type: "Explore" },
    { subagent_type: "plan" },
    { subagent_type: "Plan" },
    { subagent_type: "general-purpose", mode: "plan" },
    { subagent_type: "reviewer", mode: "plan" },
  ];
  for (const row of rows) {
    await t.step(JSON.stringify(row), async () => {
      await using it = await world(
        calls(["fs_write", { path: "new.txt", content: "x" }], ["Bash", { command: "id" }]),
        says("done"),
      );
      await it.run({ prompt: "Look", ...row });
      const { messages, tools } = it.asked[0]!.body;
      const offered = tools!.map((tool) => tool.function.name);
      expect(offered).toContain("Grep");
      for (const name of ["Edit", "Write", "Bash", "fs_write", "Config"]) {
        expect(offered).not.toContain(name);
      }
      expect(messages[0]!.content).toContain("Your tools only read");
      expect(messages[0]!.content!.includes("You plan.")).toBe(
        row["mode"] === "plan" || /plan/i.test(String(row["subagent_type"])),
      );
      for (const given of toolAnswers(it, 1)) expect(given).toContain("Error: Unknown tool");
      expect(it.running.sessions.size).toBe(0);
    });
  }
});

Deno.test("agent > an unknown type is named in the prompt, and the requested model is used", async () => {
  await using it = await world(says("fine"));
  const flags = ["-A", `--state-dir=${it.state}`];
  await call("Config", { setting: "model.opus", value: "large" }, { flags });
  const text = await it.run({ prompt: "Go", subagent_type: "code-reviewer", model: "opus" });
  expect(it.asked[0]!.body.messages[0]!.content).toContain('of the type "code-reviewer"');
  expect(it.asked[0]!.body.tools!.some((tool) => tool.function.name === "Bash")).toBe(true);
  // A resumed agent uses the same model, unless another one is requested.
  await it.run({ prompt: "More", resume: idIn(text) });
  expect(it.asked.map(({ body }) => body.model)).toEqual(["large", "large"]);
  expect(await failed(it.run({ prompt: "More", model: "haiku" }))).toContain('"model.haiku"');
});

Deno.test("agent > a resumed agent continues its conversation", async () => {
  await using it = await world(
    calls(["fs_read", { path: "colours.txt" }]),
    says("red and green"),
    says("green"),
  );
  const first = await it.run({ prompt: "Which colours?" });
  const second = await it.run({ prompt: "And the last?", resume: idIn(first) });
  expect(second).toContain("green\n\n");
  expect(second).toContain("1 turn,");
  expect(idIn(second)).toBe(idIn(first));
  expect(it.asked[2]!.body.messages.map(({ role, content }) => role === "system" ? role : content))
    .toEqual(["system", "Which colours?", null, "red\ngreen\n", "red and green", "And the last?"]);
  const unknown = await failed(it.run({ prompt: "Go on", resume: "agent_000000000000" }));
  expect(unknown).toContain('Cannot resume "agent_000000000000"');
});

Deno.test("agent > it stops after max_turns turns, and continues when it is resumed", async () => {
  const again = calls(["fs_read", { path: "colours.txt" }]);
  await using it = await world(again, again, says("done"));
  const text = await it.run({ prompt: "Read it for ever", max_turns: 2 });
  expect(it.asked.length).toBe(2);
  expect(text).toContain("[The 2 turns of max_turns are used up, and the agent is not done");
  expect(text).toContain(`resume "${idIn(text)}"`);
  expect(await it.run({ prompt: "Go on", resume: idIn(text) })).toContain("done\n");
  expect(toolAnswers(it, 2).length).toBe(2);
});

Deno.test("agent > an empty, truncated or filtered answer is reported", async (t) => {
  const rows: [name: string, answer: Answer, says: string][] = [
    ["empty", says(""), "[The model's last answer was empty]"],
    ["cut", says("Half a", "length"), "Half a\n\n[The model's answer was cut at its length limit]"],
    ["stopped", says("No", "content_filter"), "[The model's answer was stopped by a filter]"],
  ];
  for (const [name, answer, note] of rows) {
    await t.step(name, async () => {
      await using it = await world(answer, says("Yes"));
      const text = await it.run({ prompt: "Go" });
      expect(text).toContain(note);
      expect(await it.run({ prompt: "And now?", resume: idIn(text) })).toContain("Yes\n");
      // Servers refuse an empty message, and some models refuse two prompts in a row.
      const { messages } = it.asked[1]!.body;
      expect(messages.every(({ content }) => content !== "")).toBe(true);
      const roles = messages.map(({ role }) => role);
      expect(roles.some((role, at) => role === "user" && roles[at + 1] === "user")).toBe(
        false,
      );
    });
  }
});

Deno.test("agent > the oldest outputs of a long conversation are omitted, and the result says so", async () => {
  const big = (count: number) =>
    calls(["Bash", { command: `head -c 29000 /dev/zero | tr '\\0' ${count % 10}` }]);
  const turns = Array.from({ length: 16 }, (_, count) => big(count));
  await using it = await world(...turns, says("done"));
  const text = await it.run({ prompt: "Count" });
  const given = toolAnswers(it, 16);
  expect(given.length).toBe(16);
  expect(given[0]).toBe(
    "[29,000 characters of output were omitted here to keep the conversation within its limit]",
  );
  const kept = given.map((answer) => answer.length === 29_000);
  expect(kept.indexOf(true)).toBeGreaterThan(0);
  expect(kept.slice(kept.indexOf(true)).every(Boolean)).toBe(true);
  expect(text).toMatch(
    /limit, \d old tool outputs or arguments \([\d,]+ characters\) had to be omitted/,
  );
  for (const { body } of it.asked) {
    expect(() => boundConversation(body.messages as never, 400_000)).not.toThrow();
    expect(JSON.stringify(body.messages).length).toBeLessThan(410_000);
  }
});

Deno.test("agent > several long outputs of one turn are shortened, and each says so", async () => {
  const big: [string, unknown] = ["Bash", { command: "head -c 29000 /dev/zero | tr '\\0' x" }];
  await using it = await world(calls(big, big, big, big, big), says("done"));
  await it.run({ prompt: "Go" });
  const given = toolAnswers(it, 1);
  expect(given.reduce((sum, answer) => sum + answer.length, 0)).toBeLessThan(102_000);
  for (const answer of given) expect(answer).toContain("[9,000 characters omitted");
});

Deno.test("agent > a failure of the model is reported with the way to continue, and the conversation is kept", async () => {
  await using it = await world(
    calls(["fs_read", { path: "colours.txt" }]),
    fails(400, { message: "context too long" }),
    says("done"),
  );
  const message = await failed(it.run({ prompt: "Read" }));
  expect(message).toContain('HTTP 400, "context too long"');
  expect(message).toContain(`the conversation is saved: resume "${idIn(message)}"`);
  await it.run({ prompt: "Go on", resume: idIn(message) });
  expect(toolAnswers(it, 2)).toEqual(["red\ngreen\n"]);
});

Deno.test("agent > a cancelled agent ends its running call, and can be resumed", async () => {
  const seconds = uniqueSeconds();
  const sleeping = () => processesWith(`sleep\0${seconds}`).length > 0;
  await using it = await world(
    calls(["Bash", { command: `sleep ${seconds}` }], ["Bash", { command: "touch late" }]),
    says("fine"),
  );
  const controller = new AbortController();
  const running = failed(it.run({ prompt: "Sleep" }, { controller }));
  expect(await until(sleeping)).toBe(true);
  controller.abort();
  const message = await running;
  expect(await until(() => !sleeping())).toBe(true);
  expect(message).toContain("The agent was cancelled; the conversation is saved");
  await it.run({ prompt: "Go on", resume: idIn(message) });
  expect(toolAnswers(it, 1)).toEqual(
    Array(2).fill(
      "Error: The agent was interrupted here; it is unknown whether this call took effect",
    ),
  );
  expect([...Deno.readDirSync(it.directory)].map(({ name }) => name)).toEqual(["colours.txt"]);
});

Deno.test("agent > a time limit that passes in the model's stream is reported", async () => {
  const controller = new AbortController();
  const slow: Answer = () => {
    let pulls = 0;
    const body = new ReadableStream({
      pull(stream) {
        // The first part has been sent when a second one is wanted.
        if (++pulls === 1) return stream.enqueue(new TextEncoder().encode(": begun\n\n"));
        controller.abort(new DOMException("late", "TimeoutError"));
        return new Promise(() => {});
      },
    }, { highWaterMark: 0 });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  await using it = await world(slow, says("fine"));
  const message = await failed(it.run({ prompt: "Think" }, { controller }));
  expect(message).toMatch(/^The agent's time limit passed; .* resume "agent_/);
  expect(await it.run({ prompt: "Go on", resume: idIn(message) })).toContain("fine\n");
  expect(it.asked[1]!.body.messages.at(-1)!.content).toBe("Think\n\nGo on");
});

Deno.test("agent > an agent that another call resumes ends, and does not change the conversation", async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => release = resolve);
  const late: Answer = async (asked) => {
    await released;
    return says("too late")(asked);
  };
  await using it = await world(
    calls(["fs_read", { path: "colours.txt" }]),
    late,
    says("mine"),
    says("and mine"),
  );
  const first = failed(it.run({ prompt: "First" }));
  expect(await until(() => it.asked.length === 2)).toBe(true);
  const id = [...it.running.sessions][0]!;
  await it.run({ prompt: "Second", resume: id });
  release();
  expect(await first).toContain("Another call has continued this agent");
  await it.run({ prompt: "Third", resume: id });
  const said = it.asked.at(-1)!.body.messages.map(({ content }) => content);
  expect(said).toContain("mine");
  expect(said).not.toContain("too late");
});

Deno.test("agent > the key is only in the request", async () => {
  const key = "sk-agent-5Vq0ZsecretPw9";
  Deno.env.set("OPENAI_API_KEY", key);
  try {
    await using it = await world(
      calls(["Bash", { command: "env; echo end" }], ["fs_read", { path: "colours.txt" }]),
      says("done"),
      fails(401, { message: `Incorrect API key provided: ${key}` }),
    );
    const text = await it.run({ prompt: "Look" });
    const message = await failed(it.run({ prompt: "More", resume: idIn(text) }));
    expect(message).toContain('HTTP 401, "Incorrect API key provided: [the key]"');
    expect(message).toContain('the variable "OPENAI_API_KEY"');
    const files = [...Deno.readDirSync(it.state)].filter(({ isFile }) => isFile)
      .map(({ name }) => new TextDecoder().decode(Deno.readFileSync(`${it.state}/${name}`)));
    const requests = it.asked.map(({ body }) => JSON.stringify(body));
    const seen = [text, message, ...it.progress, ...requests, ...files]
      .filter((each) => each.includes(key));
    expect(seen).toEqual([]);
    expect(it.asked.length).toBe(3);
    for (const { headers } of it.asked) expect(headers.get("authorization")).toBe(`Bearer ${key}`);
  } finally {
    Deno.env.delete("OPENAI_API_KEY");
  }
});
