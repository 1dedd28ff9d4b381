/** The agent as a caller uses it: the executable, under flags, with a real server. */
import { expect } from "@std/expect";
import {
  call,
  executable,
  oneLine,
  type Result,
  temporaryDirectory,
} from "../../support/executable.ts";
import { type Answer, calls, fails, modelServer, says } from "../../support/model_server.ts";
import { processesWith, uniqueSeconds } from "../../support/processes.ts";
import { until, waitFor } from "../../support/wait.ts";
import { submitCalls } from "./submitted_calls.ts";

const key = "sk-outside-9Wm2secretKx4";

/**
 * A directory with a file, a state directory whose model is a server with these answers, and a
 * caller.
 */
async function world(...answers: Answer[]) {
  const [directory, state] = [temporaryDirectory(), temporaryDirectory()];
  const server = modelServer(...answers);
  Deno.writeTextFileSync(`${directory.path}/colours.txt`, "red\ngreen\n");
  const own = [`--state-dir=${state.path}/state`, "--session=test"];
  const settings = [
    ["model.endpoint", server.endpoint],
    ["model.default", "llama"],
    ["model.key_variable", "MODEL_KEY"],
  ].map(([setting, value]) => ({ name: "Config", arguments: { setting, value } }));
  await submitCalls(settings, { flags: ["-A", ...own], jobs: 1 });
  const net = `--allow-net=${server.host}`;
  const options = { cwd: directory.path, env: { MODEL_KEY: key } };
  return {
    ...{ directory: directory.path, state: `${state.path}/state`, asked: server.asked, net, own },
    run: (name: string, args: Record<string, unknown>, flags: string[]) =>
      call(name, args, { ...options, flags: [...own, ...flags] }),
    start: (args: Record<string, unknown>, flags: string[]) =>
      new Deno.Command(executable, {
        args: [...own, ...flags, "Agent", JSON.stringify(args)],
        ...options,
        ...{ stdin: "null", stdout: "piped", stderr: "piped" },
      }).spawn(),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      directory[Symbol.dispose]();
      state[Symbol.dispose]();
    },
  };
}

const task = { description: "A test", prompt: "Go", subagent_type: "general-purpose" };
const idIn = (text: string) => text.match(/agent_[0-9a-f]{12}/)![0];

Deno.test("agent > it works with the tools that scoped flags grant, and can be resumed", async () => {
  await using it = await world(
    calls(["fs_read", { path: "colours.txt" }], ["Read", { file_path: "/etc/hostname" }]),
    calls(["Bash", { command: "id" }], ["fs_write", { path: "new.txt", content: "x" }]),
    says("red and green"),
    says("green"),
  );
  const flags = [it.net, `--allow-read=${it.directory}`];
  const first = await it.run("Agent", task, flags);
  expect({ exit: first.exit, isError: first.isError }).toEqual({ exit: 0, isError: false });
  expect(first.text).toContain("red and green\n\n[Agent ");
  const [inside, outside, run, write] = it.asked[2]!.body.messages
    .filter(({ role }) => role === "tool").map(({ content }) => content);
  expect(inside).toBe("red\ngreen\n");
  expect(outside).toContain("needs --allow-read=/etc/hostname");
  expect(run).toContain('Unknown tool "Bash"');
  expect(write).toContain('Unknown tool "fs_write"');
  const second = await it.run("Task", { ...task, resume: idIn(first.text) }, flags);
  expect(second.text).toContain("green\n\n[Agent ");
  expect(it.asked[3]!.body.messages.length).toBe(10);
});

Deno.test("agent > the model is offered the tools that flags, settings and the machine allow", async (t) => {
  const always = ["TodoWrite", "TaskCreate", "TaskList", "EnterPlanMode", "TaskOutput", "logit"];
  const reading = ["Read", "Grep", "Glob", "search", "navigate", "fs_read", "file", "calendar"];
  const writing = ["Write", "Edit", "NotebookEdit", "code_edit", "fs_write"];
  const mcp = ["ListMcpResources", "ReadMcpResource", "ReadMcpResourceDir"];
  const unset = ["WebSearch", "blog_notion", ...mcp];
  const rows: [flags: string[], offered: string[], not: string[]][] = [
    [[], [...always, "WebFetch"], [...reading.slice(0, 6), ...writing, "Bash", "git", ...unset]],
    [["-R"], [...always, ...reading], [...writing, "Bash", "git", "test", ...unset]],
    [["-R", "--deny-read"], always, [...reading.slice(0, 6), ...writing, "Bash", ...unset]],
    [["-R", "-W"], [...reading, ...writing], ["Bash", "git", "test", ...unset]],
    [["--allow-run=bash"], ["Bash", "Monitor"], ["git", "Read", "Write", ...unset]],
    [["-R", "-W", "--allow-run=git"], ["git", "Edit"], ["Bash", ...unset]],
    [["-A"], ["Bash", "git", "test", ...reading, ...writing], unset],
    [["-A", "--deny-run", "--deny-write"], reading, ["Bash", "git", ...writing, ...unset]],
  ];
  await using it = await world(says("done"));
  for (const [at, [flags, offered, not]] of rows.entries()) {
    await t.step(flags.join(" ") || "no flags", async () => {
      const { exit } = await it.run("Agent", task, [it.net, ...flags]);
      const names = it.asked[at]!.body.tools!.map((tool) => tool.function.name);
      expect(exit).toBe(0);
      expect(offered.filter((name) => !names.includes(name))).toEqual([]);
      expect(not.filter((name) => names.includes(name))).toEqual([]);
    });
  }
});

Deno.test("agent > the model is asked only when the flags grant its host and port", async () => {
  await using it = await world(says("never"));
  const port = Number(it.net.split(":")[1]);
  const rows = [[], ["-R"], [`--allow-net=127.0.0.1:${port ^ 1}`], [it.net, "--deny-net"]];
  for (const flags of rows) {
    const { exit, text } = await it.run("Agent", task, flags);
    expect({ flags, exit }).toEqual({ flags, exit: 6 });
    expect(text).toContain("-net");
  }
  expect({ tried: rows.length, reached: it.asked.length }).toEqual({ tried: 4, reached: 0 });
});

Deno.test("agent > the key is only in the request", async () => {
  await using it = await world(
    calls(["Bash", { command: "env; cat /proc/$PPID/environ | tr '\\0' '\\n'" }]),
    says("done"),
    fails(401, { message: `Incorrect API key provided: ${key}` }),
  );
  const flags = [it.net, "--allow-run=bash,cat,tr,env", "-R"];
  const shown = [await it.run("Agent", task, flags), await it.run("Agent", task, flags)];
  expect(shown[1]!.text).toContain('the key came from the variable "MODEL_KEY"');
  expect(it.asked.map(({ headers }) => headers.get("authorization")))
    .toEqual(Array(3).fill(`Bearer ${key}`));
  const files = filesUnder(it.state);
  const places = [...shown, ...it.asked.map(({ body }) => body)].map((each) =>
    JSON.stringify(each)
  );
  const leaked = [...places, ...files].filter((each) => each.includes(key)).length;
  expect({ files: files.length > 0, leaked }).toEqual({ files: true, leaked: 0 });
});

Deno.test("agent > a model that repeats the key does not get it into the result, a call or the state", async () => {
  const spelled = key.replace("o", "\\u006f");
  await using it = await world(
    calls(["fs_read", { path: `${key}.txt` }], ["fs_read", `{"path":"${spelled}.md"}`], [key, {}]),
    says(`Your key is ${key}, and ${encodeURIComponent(key)}`),
  );
  const flags = [it.net, `--allow-read=${it.directory}`];
  const shown = await it.run("Agent", task, flags);
  expect(shown.text).toContain("Your key is [the key], and [the key]\n\n[Agent ");
  const sent = JSON.stringify(it.asked[1]!.body);
  expect(sent).toContain("[the key].txt");
  const files = filesUnder(it.state);
  const places = [JSON.stringify(shown), sent, ...files];
  const leaked = places.filter((each) => each.includes(key) || each.includes(spelled)).length;
  expect({ files: files.length > 0, leaked }).toEqual({ files: true, leaked: 0 });
});

Deno.test("agent > a signal during a call ends the agent, which says how to continue and leaves no process", async () => {
  const mark = uniqueSeconds();
  await using it = await world(calls(["Bash", { command: `sleep ${mark}` }]), says("fine"));
  const flags = ["-A", it.net];
  const child = it.start(task, flags);
  expect(await until(() => processesWith(mark).length > 0)).toBe(true);
  child.kill("SIGTERM");
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  const run = { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  const text = (oneLine(run) as Result).content[0]!.text;
  expect(code).toBe(7);
  expect(text).toContain("The agent was cancelled; the conversation is saved");
  expect(processesWith(mark)).toEqual([]);
  expect((await it.run("Agent", { ...task, resume: idIn(text) }, flags)).text).toContain("fine");
});

Deno.test("agent > the running call of a killed agent ends too", async () => {
  const mark = uniqueSeconds();
  await using it = await world(calls(["Bash", { command: `sleep ${mark}` }]), says("never"));
  const child = it.start(task, ["-A", it.net]);
  // The command itself runs, not only the process that starts it.
  expect(await until(() => processesWith(`sleep\0${mark}`).length > 0)).toBe(true);
  child.kill("SIGKILL");
  await Promise.all([child.status, child.stdout.cancel(), child.stderr.cancel()]);
  expect(await until(() => processesWith(mark).length === 0)).toBe(true);
});

Deno.test("agent > a background agent reports its turns, and stopping it keeps its conversation", async () => {
  const mark = uniqueSeconds();
  await using it = await world(calls(["Bash", { command: `sleep ${mark}` }]), says("fine"));
  const flags = ["-A", it.net];
  const started = await it.run("Agent", { ...task, run_in_background: true }, flags);
  const task_id = started.text.match(/task_\w+/)![0];
  const output = await waitFor("the first turn", async () => {
    const { text } = await it.run("TaskOutput", { task_id, block: false }, ["-A"]);
    return text.includes("turn 1") ? text : undefined;
  });
  expect(output).toContain("turn 1: Bash");
  expect(await until(() => processesWith(mark).length > 0)).toBe(true);
  const stopped = await it.run("TaskStop", { task_id }, ["-A"]);
  expect(stopped.text).toContain("The agent was cancelled; the conversation is saved");
  expect(await until(() => processesWith(mark).length === 0)).toBe(true);
  const again = await it.run("Agent", { ...task, resume: idIn(stopped.text) }, flags);
  expect(again.text).toContain("fine");
});

function filesUnder(directory: string): string[] {
  return [...Deno.readDirSync(directory)].flatMap((entry) => {
    const path = `${directory}/${entry.name}`;
    if (entry.isDirectory) return filesUnder(path);
    return [new TextDecoder("latin1").decode(Deno.readFileSync(path))];
  });
}
