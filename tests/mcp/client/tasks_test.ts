/** Servers that run a call as a task: the call waits for its result. */
// tier: machine
import { expect } from "@std/expect";
import { fileURLToPath } from "node:url";
import { executable } from "../../support/executable.ts";
import { readIfThere, until } from "../../support/wait.ts";
import {
  cacheDirectory,
  type Way,
  ways,
  type World,
  world,
} from "../../support/mcp/client_world.ts";
import { everythingServer, isMissing } from "../../support/packages.ts";
import { Peer } from "../../support/mcp/peer.ts";

function taskServer(directory: string, ...more: string[]): Record<string, unknown> {
  const server = fileURLToPath(new URL("../../support/mcp/servers/tasks.ts", import.meta.url));
  return {
    command: Deno.execPath(),
    args: ["run", "-A", "--quiet", server, directory, ...more],
    env: cacheDirectory(),
  };
}

const fileIn = ({ path }: World, name: string) => readIfThere(`${path}/${name}`);

/** The result of a call of each tool. */
const rows: [tool: string, exit: number, says: RegExp][] = [
  ["quick", 0, /"io\.modelcontextprotocol\/tasks":\{\}/],
  ["slow", 0, /^done$/],
  ["wrong", 1, /^It went wrong$/],
  ["broken", 1, /answers with error -32603: No \\u001b\[2Jdisk$/],
  ["gone", 1, /The MCP server "it" cancelled the task of "gone"/],
  ["odd", 8, /its task has no valid id and state/],
  ["nameless", 8, /its task has no valid id and state/],
  ["empty", 8, /its task has no valid result/],
  ["other", 8, /it describes another task/],
  [
    "ask",
    1,
    /asks a question: (toolcall shows no forms of servers; .*--ask=terminal|.* does not offer elicitation)/,
  ],
];
for (const way of ways) {
  Deno.test(`mcp client > calls (${way}) that a server runs as tasks return the results of the tasks`, async (t) => {
    using place = world((directory) => ({ it: taskServer(directory) }), { way });
    for (const [tool, exit, says] of rows) {
      await t.step(tool, async () => {
        const result = await place.call(`mcp__it__${tool}`);
        expect({ exit: result.exit, text: result.text }).toEqual({ exit, text: result.text });
        expect(result.text).toMatch(says);
        expect(result.text).not.toContain("\u001b");
      });
    }
    // The client cancels a task if it cannot use its result.
    expect(fileIn(place, "cancelled").trim().split("\n").length).toBeGreaterThanOrEqual(3);
  });
}

Deno.test("mcp client > a server that starts slowly is served in the way of today", async () => {
  using place = world((directory) => ({ it: taskServer(directory, "slow") }));
  const { exit, text } = await place.call("mcp__it__slow");
  expect({ exit, text }).toEqual({ exit: 0, text: "done" });
});

for (const way of ["alone", "kept"] satisfies Way[]) {
  Deno.test(`mcp client > a call (${way}) that times out or is cancelled cancels its task`, async (t) => {
    using place = world((directory) => ({ it: taskServer(directory) }), { way });
    await t.step("the time limit passes", async () => {
      place.write({ it: { ...taskServer(place.path), timeout: 8_000 } });
      const result = await place.call("mcp__it__endless");
      expect([result.exit, result.text]).toEqual([
        7,
        'Cannot finish "mcp__it__endless" within 8000 ms',
      ]);
      expect(await until(() => fileIn(place, "cancelled").split("\n").length === 2)).toBe(true);
    });
    await t.step("toolcall gets a signal", async () => {
      place.write({ it: taskServer(place.path) });
      Deno.removeSync(`${place.path}/asked`);
      const child = new Deno.Command(executable, {
        args: ["mcp__it__endless", "{}", "--allow-mcp", `--state-dir=${place.path}/state`],
        ...{ cwd: place.path, env: cacheDirectory() },
        ...{ stdin: "null", stdout: "piped", stderr: "piped" },
      }).spawn();
      const output = child.output();
      // The server has the call once it has been asked for the task.
      expect(await until(() => fileIn(place, "asked") !== "")).toBe(true);
      child.kill("SIGTERM");
      expect((await output).code).toBe(7);
      expect(await until(() => fileIn(place, "cancelled").split("\n").length === 3)).toBe(true);
    });
  });
}

Deno.test("mcp client > the questions of a task are asked if --ask allows it", async () => {
  using place = world((directory) => ({ it: taskServer(directory) }));
  Deno.writeTextFileSync(
    `${place.path}/answer`,
    `#!/bin/sh
tee '${place.path}/questions' | '${Deno.execPath()}' eval '
const { questions } = JSON.parse(await new Response(Deno.stdin.readable).text());
const answers = questions.map(({ question }) => [question, "Ada"]);
console.log(JSON.stringify({ answers: Object.fromEntries(answers) }));
'`,
    { mode: 0o755 },
  );
  const flags = ["--allow-mcp", "--ask=exec:./answer"];
  const { text } = await place.call("mcp__it__ask", {}, flags);
  expect(JSON.parse(text)).toEqual({ action: "accept", content: { name: "Ada" } });
  expect(fileIn(place, "questions")).toContain('The MCP server \\"it\\" asks:');
  expect(fileIn(place, "questions")).not.toContain("\u001b");
});

Deno.test("mcp client > the status message of a task is the progress of its call", async () => {
  using place = world((directory) => ({ it: taskServer(directory) }));
  await using peer = Peer.start(["--allow-mcp", `--state-dir=${place.path}/state`], {
    cwd: place.path,
    env: cacheDirectory(),
  });
  await peer.initialize();
  const { result } = await peer.request("tools/call", {
    name: "mcp__it__slow",
    arguments: {},
    _meta: { progressToken: "t" },
  });
  expect(result.content[0].text).toBe("done");
  const progress = peer.unasked.filter(({ method }) => method === "notifications/progress");
  expect(progress.filter(({ params }) => /^step \d$/.test(String(params!["message"]))).length)
    .toBeGreaterThan(0);
});

Deno.test("mcp client > a task of toolcall as the server returns its result", async () => {
  // The inner server has another directory, so that it does not read the same configuration.
  const work = (directory: string) => `${directory}/work`;
  using place = world((directory) => ({
    it: {
      command: executable,
      args: ["mcp", "--allow-all", "--tools=Bash", `--state-dir=${directory}/inner`],
      env: {
        HOME: Deno.env.get("HOME") ?? "/",
        XDG_CACHE_HOME: Deno.env.get("XDG_CACHE_HOME") ?? "",
      },
      cwd: work(directory),
    },
  }));
  Deno.mkdirSync(work(place.path));
  const command = "echo begun >begun; until [ -e go ]; do sleep 0.02; done; echo inside";
  const call = place.call("mcp__it__Bash", { command, run_in_background: true });
  expect(await until(() => fileIn(place, "work/begun") !== "")).toBe(true);
  Deno.writeTextFileSync(`${work(place.path)}/go`, "");
  const result = await call;
  expect({ exit: result.exit, text: result.text }).toEqual({ exit: 0, text: "inside\n" });
});

Deno.test({
  name: "mcp client > a tool of revision 2025-11-25 that runs only as a task returns its result",
  ignore: await isMissing("server-everything"),
  async fn() {
    using place = world(() => ({ it: { ...everythingServer("stdio") } }));
    const result = await place.call("mcp__it__simulate-research-query", {
      topic: "tasks",
      ambiguous: false,
    });
    expect(result.exit).toBe(0);
    expect(result.text).toContain("tasks");
  },
});
