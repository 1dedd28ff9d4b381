/** MCP's extension for tasks (SEP-2663): clients of MCP get the background tasks of toolcall. */
// tier: machine
import { expect } from "@std/expect";
import { fileURLToPath } from "node:url";
import { executable, temporaryDirectory, toolcall } from "../../support/executable.ts";
import { extensionClient, isMissing } from "../../support/packages.ts";
import { endlessSleep, processesWith } from "../../support/processes.ts";
import { until } from "../../support/wait.ts";
import { modernParams, postModern, TASKS } from "../../support/mcp/modern.ts";
import { listen, type Message, Peer } from "../../support/mcp/peer.ts";
import { conformanceProgram } from "../conformance/program.ts";

const FLAGS = ["--allow-read", "--allow-run", "--tools=Bash,TaskOutput,Read"];

/** A directory with a new state, and a function that starts a server over stdio there. */
function desk(flags: readonly string[] = FLAGS) {
  const directory = temporaryDirectory();
  const { path } = directory;
  const state = `--state-dir=${path}/state`;
  const start = (...more: string[]) => Peer.start([...flags, state, ...more], { cwd: path });
  return {
    path,
    state,
    start,
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

const send = (peer: Peer, method: string, params: Record<string, unknown> = {}) =>
  peer.request(method, modernParams(params));

const background = (command: string) => ({
  name: "Bash",
  arguments: { command, run_in_background: true },
});

/** Asks for a task until `fits` returns true for it. */
async function taskThat(
  peer: Peer,
  taskId: string,
  fits: (task: Message["result"]) => boolean,
): Promise<Message["result"]> {
  let last: Message["result"];
  const isFitting = async () => {
    const { result, error } = await send(peer, "tasks/get", { taskId });
    last = result ?? error;
    return result !== undefined && fits(result);
  };
  if (await until(isFitting)) return last;
  throw new Error(`The task stays ${JSON.stringify(last)}`);
}

const ended = (peer: Peer, taskId: string) =>
  taskThat(peer, taskId, ({ status }) => status !== "working");

Deno.test("mcp tasks > a background call returns a task, and the task returns the result of the call", async () => {
  using here = desk();
  await using peer = here.start();
  const { result: offered } = await send(peer, "server/discover");
  expect(offered.capabilities.extensions).toEqual({ [TASKS]: {} });
  expect(offered.capabilities.tasks).toBeUndefined();
  const command = "echo first; until [ -e go ]; do sleep 0.05; done; echo second";
  const { result: task } = await send(peer, "tools/call", background(command));
  expect(task.resultType).toBe("task");
  expect(task.taskId).toMatch(/^task_[0-9a-f]{20}$/);
  expect(task.status).toBe("working");
  expect(task.content).toBeUndefined();
  expect(task.ttlMs).toBeGreaterThanOrEqual(7 * 24 * 3_600_000);
  expect(task.pollIntervalMs).toBe(1_000);
  const { taskId } = task;
  const now = await taskThat(peer, taskId, ({ statusMessage }) => statusMessage === "first");
  expect(now).toMatchObject({ resultType: "complete", taskId, status: "working" });
  expect(now.createdAt).toBe(task.createdAt);
  Deno.writeTextFileSync(`${here.path}/go`, "");
  const done = await ended(peer, taskId);
  expect(done).toMatchObject({ resultType: "complete", taskId, status: "completed" });
  expect(done.result).toEqual({
    content: [{ type: "text", text: "first\nsecond\n" }],
    isError: false,
    resultType: "complete",
  });
  // The tool TaskOutput and the command tasks find the same task.
  const { result: output } = await send(peer, "tools/call", {
    name: "TaskOutput",
    arguments: { task_id: taskId },
  });
  expect(output.content[0].text).toContain("first\nsecond");
  const listed = await toolcall(["tasks", here.state]);
  expect(listed.stdout).toContain(taskId);
});

Deno.test("mcp tasks > a failed call is a completed task, and a refused call creates no task", async () => {
  using here = desk();
  await using peer = here.start();
  const { result: task } = await send(peer, "tools/call", background("echo bad >&2; exit 3"));
  const done = await ended(peer, task.taskId);
  expect(done.status).toBe("completed");
  expect(done.result.isError).toBe(true);
  expect(done.result.content[0].text).toContain("bad");
  expect(done.result._meta["toolcall/error"].code).toBe("tool_failed");
  for (const args of [{ run_in_background: true }, { command: 1, run_in_background: true }]) {
    const { result } = await send(peer, "tools/call", { name: "Bash", arguments: args });
    expect(result).toMatchObject({ resultType: "complete", isError: true });
    expect(result._meta["toolcall/error"].code).toBe("invalid_arguments");
  }
  const { result: quick } = await send(peer, "tools/call", {
    name: "Bash",
    arguments: { command: "echo quick" },
  });
  expect(quick).toMatchObject({ resultType: "complete", isError: false });
});

Deno.test("mcp tasks > a cancelled task ends its programs, and a second cancellation changes nothing", async () => {
  using here = desk();
  await using peer = here.start();
  const sleep = endlessSleep();
  const { result: task } = await send(peer, "tools/call", background(`${sleep} & ${sleep}`));
  const { taskId } = task;
  expect(await until(() => processesWith(sleep).length > 0)).toBe(true);
  for (let times = 0; times < 2; times++) {
    const { result } = await send(peer, "tasks/cancel", { taskId });
    expect(Object.keys(result).sort()).toEqual(["_meta", "resultType"]);
    expect(result.resultType).toBe("complete");
  }
  expect((await ended(peer, taskId)).status).toBe("cancelled");
  expect(await until(() => processesWith(sleep).length === 0)).toBe(true);
});

Deno.test("mcp tasks > a task survives its connection, and only a client with the same flags finds it", async () => {
  using here = desk();
  let taskId = "";
  {
    await using peer = here.start();
    const command = "until [ -e go ]; do sleep 0.05; done; echo late";
    taskId = (await send(peer, "tools/call", background(command))).result.taskId;
  }
  await using peer = here.start();
  expect((await send(peer, "tasks/get", { taskId })).result.status).toBe("working");
  Deno.writeTextFileSync(`${here.path}/go`, "");
  expect((await ended(peer, taskId)).result.content[0].text).toBe("late\n");
  // A client with other flags, in another session or in another directory does not find it.
  for (const more of [["--allow-env=HOME"], ["--session=other"], [`--root=${here.path}/state`]]) {
    await using other = here.start(...more);
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const { error } = await send(other, method, { taskId, inputResponses: {} });
      expect([more, method, error?.code]).toEqual([more, method, -32602]);
      expect(error!.message).toContain("Unknown task");
    }
  }
  // A client of MCP does not find a task that was started without MCP.
  const started = await toolcall(
    ["Bash", '{"command":"true","run_in_background":true}', ...FLAGS, here.state],
    { cwd: here.path },
  );
  const { id } = JSON.parse(started.stdout)._meta["toolcall/task"];
  expect((await send(peer, "tasks/get", { taskId: id })).error?.code).toBe(-32602);
});

Deno.test("mcp tasks > a client that does not declare the extension gets no task", async (t) => {
  using here = desk();
  await t.step("a client of revision 2026-07-28", async () => {
    await using peer = here.start();
    const plain = (method: string, params: Record<string, unknown>) =>
      peer.request(method, modernParams(params, { takesTasks: false }));
    const { result } = await plain("tools/call", background("true"));
    expect(result.resultType).toBe("complete");
    const { id } = result._meta["toolcall/task"];
    expect(result.content[0].text).toContain(id);
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const { error } = await plain(method, { taskId: id, inputResponses: {} });
      expect(error?.code).toBe(-32021);
      expect(error!.data).toEqual({ requiredCapabilities: { extensions: { [TASKS]: {} } } });
    }
    const filter = { notifications: { taskIds: [id] } };
    expect((await plain("subscriptions/listen", filter)).error?.code).toBe(-32021);
    for (const method of ["tasks/list", "tasks/result"]) {
      expect((await send(peer, method, { taskId: id })).error?.code).toBe(-32601);
    }
    expect((await send(peer, "tasks/get", {})).error?.code).toBe(-32602);
  });
  await t.step("a client of an older revision", async () => {
    await using peer = here.start();
    const { result: begun } = await peer.initialize();
    expect(begun.capabilities.extensions).toBeUndefined();
    const { result } = await peer.request("tools/call", background("true"));
    expect(result._meta["toolcall/task"].id).toMatch(/^task_/);
    expect((await peer.request("tasks/get", { taskId: "task_1" })).error?.code).toBe(-32601);
  });
});

Deno.test("mcp tasks > a subscription over stdio reports the end of a task, until the subscription is cancelled", async () => {
  using here = desk();
  await using peer = here.start();
  const create = async (go: string) => {
    const command = `until [ -e ${go} ]; do sleep 0.05; done; echo told`;
    return (await send(peer, "tools/call", background(command))).result.taskId as string;
  };
  const [followed, silent] = [await create("go"), await create("stay")];
  const notificationsOf = (taskId: string) =>
    peer.unasked.filter(({ method, params }) =>
      method === "notifications/tasks" && params!["taskId"] === taskId
    );
  const subscribe = async (id: string, taskIds: string[]) => {
    const params = modernParams({ notifications: { taskIds, toolsListChanged: true } });
    const request = { jsonrpc: "2.0", id, method: "subscriptions/listen", params };
    await peer.write(`${JSON.stringify(request)}\n`);
    const isAcknowledged = ({ method, params }: Message) =>
      method === "notifications/subscriptions/acknowledged" &&
      (params!["_meta"] as Record<string, unknown>)["io.modelcontextprotocol/subscriptionId"] ===
        id;
    expect(await until(() => peer.unasked.some(isAcknowledged))).toBe(true);
    return peer.unasked.find(isAcknowledged)!.params!["notifications"];
  };
  expect(await subscribe("a", [followed, "task_unknown"])).toEqual({
    toolsListChanged: true,
    taskIds: [followed],
  });
  expect(await subscribe("b", [silent])).toEqual({ toolsListChanged: true, taskIds: [silent] });
  await peer.notify("notifications/cancelled", modernParams({ requestId: "b" }));
  for (const name of ["go", "stay"]) Deno.writeTextFileSync(`${here.path}/${name}`, "");
  expect(await until(() => notificationsOf(followed).length > 0)).toBe(true);
  expect(notificationsOf(followed)[0]!.params).toMatchObject({
    status: "completed",
    result: { content: [{ type: "text", text: "told\n" }] },
    _meta: { "io.modelcontextprotocol/subscriptionId": "a" },
  });
  await ended(peer, silent);
  expect(notificationsOf(silent)).toEqual([]);
});

Deno.test("mcp tasks > a task asks its client, and continues with the answers", async (t) => {
  using here = desk();
  const program = await conformanceProgram(here.path);
  await using peer = Peer.start(["-A", here.state], { cwd: here.path, program });
  const start = async (name: string, args: Record<string, unknown> = {}) => {
    const params = { name, arguments: args };
    const asking = modernParams(params, { capabilities: { elicitation: {} } });
    return (await peer.request("tools/call", asking)).result.taskId as string;
  };
  const asks = (taskId: string, count: number) =>
    taskThat(peer, taskId, ({ status, inputRequests }) => {
      return status === "input_required" && Object.keys(inputRequests).length === count;
    });
  const answer = (taskId: string, inputResponses: Record<string, unknown>) =>
    send(peer, "tasks/update", { taskId, inputResponses });
  const accept = (content: Record<string, unknown>) => ({ action: "accept", content });

  await t.step("one question is answered", async () => {
    const taskId = await start("confirm_delete", { filename: "a.txt" });
    const { inputRequests, result } = await asks(taskId, 1);
    expect(result).toBeUndefined();
    const [[key, request]] = Object.entries(inputRequests) as [[string, unknown]];
    expect(request).toMatchObject({
      method: "elicitation/create",
      params: { message: "Delete a.txt?" },
    });
    // An answer to nothing is ignored, and the question stays open.
    await answer(taskId, { "no question": accept({ confirm: true }) });
    expect((await asks(taskId, 1)).inputRequests).toEqual(inputRequests);
    const { result: taken } = await answer(taskId, { [key]: accept({ confirm: true }) });
    expect(taken).toMatchObject({ resultType: "complete" });
    expect(Object.keys(taken).filter((name) => name !== "_meta")).toEqual(["resultType"]);
    const done = await taskThat(peer, taskId, ({ status }) => status === "completed");
    expect(done.result.content[0].text).toContain('"confirm":true');
    expect(done.inputRequests).toBeUndefined();
  });

  await t.step("two questions are answered one by one", async () => {
    const taskId = await start("multi_input");
    const keys = Object.keys((await asks(taskId, 2)).inputRequests);
    await answer(taskId, { [keys[0]!]: accept({ name: "Ada" }) });
    expect(Object.keys((await asks(taskId, 1)).inputRequests)).toEqual(keys.slice(1));
    await answer(taskId, { [keys[1]!]: accept({ confirm: false }) });
    const done = await taskThat(peer, taskId, ({ status }) => status === "completed");
    expect(done.result.content[0].text).toMatch(/"Ada".*false/s);
  });

  await t.step("a task that waits for an answer can be cancelled", async () => {
    const taskId = await start("confirm_delete", { filename: "b.txt" });
    await asks(taskId, 1);
    await send(peer, "tasks/cancel", { taskId });
    const { inputRequests } = await taskThat(peer, taskId, ({ status }) => status === "cancelled");
    expect(inputRequests).toBeUndefined();
  });

  await t.step("a client without elicitation gets an error that names it", async () => {
    const params = { name: "confirm_delete", arguments: { filename: "c.txt" } };
    const { taskId } = (await send(peer, "tools/call", params)).result;
    const done = await ended(peer, taskId);
    expect(done.result.isError).toBe(true);
    expect(done.result.content[0].text).toContain("the MCP client does not offer elicitation");
  });
});

Deno.test("mcp tasks > a task can be created, read, subscribed to and cancelled over HTTP", async () => {
  using here = desk();
  await using server = await listen([...FLAGS, here.state], { cwd: here.path });
  const post = async (method: string, params: Record<string, unknown>, takesTasks = true) => {
    const response = await postModern(server.url, method, params, { takesTasks });
    const text = await response.text();
    const { result, error }: Message = JSON.parse(/^data: ?(\{.*)$/m.exec(text)?.[1] ?? text);
    return { status: response.status, result, error };
  };
  const command = "until [ -e go ]; do sleep 0.05; done; echo over";
  const { taskId } = (await post("tools/call", background(command))).result;
  expect((await post("tasks/get", { taskId })).result.status).toBe("working");
  const refused = await post("tasks/get", { taskId }, false);
  expect([refused.status, refused.error?.code]).toEqual([400, -32021]);
  const filter = { notifications: { taskIds: [taskId] } };
  const silent = await post("subscriptions/listen", filter, false);
  expect([silent.status, silent.error?.code]).toEqual([400, -32021]);
  const stream = await postModern(server.url, "subscriptions/listen", filter);
  const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
  let heard = "";
  const hear = async (text: string) => {
    while (!heard.includes(text)) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`The stream ended: ${heard}`);
      heard += value;
    }
  };
  await hear(`"notifications":{"taskIds":["${taskId}"]}`);
  Deno.writeTextFileSync(`${here.path}/go`, "");
  await hear('"method":"notifications/tasks"');
  await hear('"status":"completed"');
  await reader.cancel();
  const done = (await post("tasks/get", { taskId })).result;
  expect(done.result.content[0].text).toBe("over\n");
  const { taskId: second } = (await post("tools/call", background(endlessSleep()))).result;
  expect((await post("tasks/cancel", { taskId: second })).result.resultType).toBe("complete");
  expect((await post("tasks/get", { taskId: second })).result.status).toBe("cancelled");
});

Deno.test({
  name:
    "mcp tasks > the client of the extension gets the result of a task, and cancels another task",
  ignore: await isMissing("ext-tasks"),
  async fn() {
    using here = desk();
    const program = fileURLToPath(
      new URL("../../support/mcp/ext_tasks_client.ts", import.meta.url),
    );
    const run = async (command: string, more: Record<string, unknown> = {}) => {
      const server = { command: executable, args: ["mcp", ...FLAGS, here.state], cwd: here.path };
      const { arguments: args } = background(command);
      const entry = extensionClient(program, { server, tool: "Bash", args, ...more });
      const { stdout, stderr } = await new Deno.Command(entry.command, entry).output();
      const [text, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
      if (text === "") throw new Error(errors);
      return JSON.parse(text!);
    };
    const running = run("echo one; until [ -e go ]; do sleep 0.02; done; echo two");
    const isListed = async () => /task_\w/.test((await toolcall(["tasks", here.state])).stdout);
    expect(await until(isListed)).toBe(true);
    Deno.writeTextFileSync(`${here.path}/go`, "");
    const done = await running;
    expect(done.outcome).toMatchObject({
      status: "completed",
      result: { content: [{ type: "text", text: "one\ntwo\n" }], isError: false },
    });
    expect(done.methods.slice(0, 2)).toEqual(["tools/call", "tasks/get"]);
    const sleep = endlessSleep();
    const stopped = await run(sleep, { cancels: true });
    expect(stopped.outcome.status).toBe("cancelled");
    expect(stopped.methods).toContain("tasks/cancel");
    expect(await until(() => processesWith(sleep).length === 0)).toBe(true);
  },
});
