/** Background tasks on workers: `run_in_background` over NATS, and `toolcall tasks --nats`. */
// tier: machine
import { connect } from "@nats-io/transport-node";
import { expect } from "@std/expect";
import { executable, temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { FAULT_POINTS } from "../../../support/fault_proxy.ts";
import {
  existsFile,
  initStreams,
  natsTest,
  remoteCall,
  RunningWorker,
  until,
} from "../../../support/nats_server.ts";
import { pause, waitFor } from "../../../support/wait.ts";
import { bashCall, lineOf, resultsIn } from "../submit/submitted.ts";
import { startProtected } from "./protected_server.ts";

/** The report on a task, as `tasks show --format=json` prints it. */
interface Report {
  id: string;
  tool: string;
  title: string;
  status: string;
  worker?: string;
  startedAt: number;
  endedAt?: number;
  text: string;
}

/** The flags of a worker for tasks, and the lease of the tests that kill one. */
const [WORKER, LEASE] = [["-A", "--durable", "--jobs=2"], ["--lease=1s"]];

/** Starts a command in the background, and returns the id of the task. */
async function start(url: string, command: string, flags: readonly string[] = []): Promise<string> {
  const call = ["Bash", { command, run_in_background: true }] as const;
  const result = await remoteCall(url, call, flags);
  expect(result.text).toMatch(/^Started in the background as /);
  const { id } = (result._meta as { "toolcall/task": { id: string } })["toolcall/task"];
  expect(result.text).toContain(` ${id};`);
  return id;
}

async function tasks(url: string, ...args: string[]) {
  return await toolcall(["tasks", ...args, `--nats=${url}`]);
}

async function show(url: string, id: string): Promise<Report> {
  return JSON.parse((await tasks(url, "show", id, "--format=json")).stdout);
}

/** Waits until a task has a status. */
async function untilStatus(url: string, id: string, status: string): Promise<Report> {
  return await waitFor(`${id} to be ${status}`, async () => {
    const report = await show(url, id);
    return report.status === status ? report : undefined;
  });
}

natsTest("call --nats > a background task outlives its call and its worker", async ({ url }) => {
  await initStreams(url);
  using directory = temporaryDirectory();
  const go = `${directory.path}/go`;
  const id = await (async () => {
    await using worker = await RunningWorker.start(url, WORKER);
    const started = await start(url, `echo one; until [ -e ${go} ]; do sleep 0.1; done; echo two`);
    const first = await untilStatus(url, started, "running");
    expect(first).toMatchObject({ id: started, tool: "Bash", worker: worker.name });
    const list = JSON.parse((await tasks(url, "--format=json")).stdout);
    expect(list.map(({ id, status }: Report) => ({ id, status })))
      .toEqual([{ id: started, status: "running" }]);
    const table = (await tasks(url)).stdout.split("\n");
    expect(table[0]).toMatch(/^TASK +STATUS +AGE +TOOL +WORKER +TITLE$/);
    expect(table[1]).toMatch(new RegExp(`^${started} +running +\\d+ s +Bash +${worker.name} +`));
    const sofar = await remoteCall(url, ["TaskOutput", { task_id: started, block: false }]);
    expect(sofar.text).toContain(`${started} (Bash `);
    expect(sofar.text).toContain("still runs");
    const logs = new Deno.Command(executable, {
      args: ["tasks", "logs", "-f", started, `--nats=${url}`],
      ...{ stdin: "null", stdout: "piped", stderr: "null" },
    }).spawn();
    const waited = tasks(url, "wait", started);
    Deno.writeTextFileSync(go, "");
    expect(new TextDecoder().decode((await logs.output()).stdout)).toBe("one\ntwo\n");
    expect((await waited).code).toBe(0);
    return started;
  })();
  // The worker has ended.
  expect(await show(url, id)).toMatchObject({ status: "completed", text: "one\ntwo\n" });
  expect((await tasks(url, "logs", id)).stdout).toBe("one\ntwo\n");
  const read = await remoteCall(url, ["TaskOutput", { task_id: id }]);
  expect(read.text).toMatch(/completed after .*\none\ntwo\n$/s);
});

natsTest("call --nats > a call fails if it cannot start its background task", async ({ url }) => {
  await initStreams(url);
  const background = { command: "echo", run_in_background: true };
  const none = await remoteCall(url, ["Bash", background]);
  expect({ exit: none.exit, text: none.text }).toMatchObject({ exit: 8 });
  await using _ = await RunningWorker.start(url, WORKER);
  const cases: [args: Record<string, unknown>, flags: string[], exit: number, text: string][] = [
    [{ run_in_background: true }, [], 5, "/command: required"],
    [{ ...background, timeout: 7_200_001 }, [], 5, "/timeout: must be <= 7200000"],
    [background, ["--allow-read=/"], 6, "needs --allow-run=bash"],
  ];
  for (const [args, flags, exit, text] of cases) {
    const result = await remoteCall(url, ["Bash", args], flags);
    expect({ args, exit: result.exit }).toEqual({ args, exit });
    expect(result.text).toContain(text);
  }
  expect((await tasks(url)).stdout).toBe("No background tasks\n");
  for (const id of ["nobody.1", "nobody", "a.*", "a.>"]) {
    const { code, stderr } = await tasks(url, "show", id);
    expect({ id, code }).toEqual({ id, code: 1 });
    expect(stderr).toContain("Cannot find the background task");
  }
});

natsTest("toolcall worker > only a worker with --durable starts a task", async ({ url }) => {
  const args = { command: "echo", run_in_background: true };
  const refused = async (flags: string[], why: string) => {
    const { exit, text } = await remoteCall(url, ["Bash", args], flags);
    expect({ exit, text: text.includes(why) || text }).toEqual({ exit: 8, text: true });
  };
  {
    await using _ = await RunningWorker.start(url, ["-A"]);
    await refused([], "need a worker with --durable");
  }
  using directory = temporaryDirectory();
  const work = `${directory.path}/work`;
  Deno.mkdirSync(work, { mode: 0o700 });
  const files = [`--allow-read=${work}`, `--allow-write=${work}`, "--allow-run=bash"];
  await using _ = await RunningWorker.start(url, [`--workspace=${work}`, ...files]);
  await refused(["--workspace=a"], "cannot run in a workspace");
});

natsTest("tasks stop and TaskStop > each ends a task with its programs", async ({ url }) => {
  await initStreams(url);
  using directory = temporaryDirectory();
  await using _ = await RunningWorker.start(url, WORKER);
  for (const way of ["tasks", "tool"]) {
    const mark = `${directory.path}/${way}`;
    const id = await start(url, `echo $$ > ${mark}; echo begun; sleep 600`);
    await until(() => existsFile(mark) && Deno.readTextFileSync(mark) !== "");
    const pid = Deno.readTextFileSync(mark).trim();
    if (way === "tasks") expect((await tasks(url, "stop", id)).code).toBe(0);
    else {
      const { text, exit } = await remoteCall(url, ["TaskStop", { task_id: id }]);
      expect({ exit, isStopped: text.includes("was stopped after") })
        .toEqual({ exit: 0, isStopped: true });
    }
    const report = await show(url, id);
    expect(report.status).toBe("stopped");
    expect(report.text).toContain("begun\n");
    expect((await tasks(url, "wait", id)).code).toBe(7);
    await until(() => !existsFile(`/proc/${pid}/stat`));
  }
});

natsTest("tasks stop > a stopped task that waits for a worker never starts", async ({ url }) => {
  await initStreams(url);
  using directory = temporaryDirectory();
  await using _ = await RunningWorker.start(url, ["-A", "--durable", "--jobs=1"]);
  // A worker runs four tasks for each of its jobs.
  const busy = await Promise.all(Array.from({ length: 4 }, () => start(url, "sleep 600")));
  for (const id of busy) await untilStatus(url, id, "running");
  const mark = `${directory.path}/mark`;
  const id = await start(url, `touch ${mark}`);
  expect((await show(url, id)).status).toBe("waiting");
  expect((await tasks(url, "wait", id, "--timeout=200ms")).code).toBe(7);
  await tasks(url, "stop", id);
  expect((await show(url, id)).status).toBe("stopped");
  for (const each of busy) await tasks(url, "stop", each);
  await untilStatus(url, await start(url, "echo later"), "completed");
  expect(existsFile(mark)).toBe(false);
});

natsTest("tasks stop > a task that is stopped at its start runs at most once", async ({ url }) => {
  await initStreams(url);
  using directory = temporaryDirectory();
  await using _ = await RunningWorker.start(url, WORKER);
  const race = async (at: number) => {
    const file = `${directory.path}/${at}`;
    const id = await start(url, `echo begun >> ${file}; sleep 600`);
    await pause(Math.random() * 100, "The moment of the stop is random");
    await tasks(url, "stop", id);
    const { status, text } = await show(url, id);
    const begun = existsFile(file) ? Deno.readTextFileSync(file) : "";
    expect({ status, isTwice: begun.includes("begun\nbegun") })
      .toEqual({ status: "stopped", isTwice: false });
    if (text.includes("before it started")) expect(begun).toBe("");
  };
  for (let at = 0; at < 6; at++) await race(at);
});

for (const point of FAULT_POINTS) {
  natsTest(`toolcall worker > a task survives a worker killed at "${point}"`, async ({ url }) => {
    await initStreams(url, LEASE);
    using directory = temporaryDirectory();
    const file = `${directory.path}/lines`;
    await using first = await RunningWorker.start(url, WORKER, { fault: `${point}:1` });
    const id = await start(url, `echo line | tee -a ${file}`);
    expect(await first.killed()).toBe("SIGKILL");
    await using second = await RunningWorker.start(url, WORKER);
    const expected = point === "claimed" || point === "run" ? "interrupted" : "completed";
    const report = await untilStatus(url, id, expected);
    const lines = existsFile(file) ? Deno.readTextFileSync(file) : "";
    expect(lines).toBe(point === "claimed" ? "" : "line\n");
    if (expected === "completed") {
      expect(report.worker).toBe(point === "put" ? first.name : second.name);
    } else {
      expect(report.text).toContain(`The worker ${first.name} was lost while it ran "Bash"`);
      expect((await tasks(url, "wait", id)).code).toBe(7);
    }
  });
}

natsTest("tasks show > a task whose worker was killed is interrupted", async ({ url }) => {
  await initStreams(url, LEASE);
  using directory = temporaryDirectory();
  const mark = `${directory.path}/pid`;
  await using worker = await RunningWorker.start(url, WORKER);
  const id = await start(url, `echo $$ > ${mark}; echo kept; sleep 600`);
  await until(async () => (await show(url, id)).text.includes("kept"));
  await worker.end("SIGKILL");
  // No worker is left that could record it.
  const report = await untilStatus(url, id, "interrupted");
  expect(report.text).toMatch(/^kept\nThe worker .* was lost/);
  const pid = Deno.readTextFileSync(mark).trim();
  await until(() => !existsFile(`/proc/${pid}/stat`));
});

natsTest("toolcall worker > SIGTERM stops its tasks after --drain", async ({ url }) => {
  await initStreams(url);
  await using worker = await RunningWorker.start(url, [...WORKER, "--drain=500ms"]);
  const [short, long] = [await start(url, "echo done"), await start(url, "sleep 600")];
  for (const id of [short, long]) {
    await untilStatus(url, id, id === short ? "completed" : "running");
  }
  expect(await worker.end("SIGTERM")).toBe(0);
  expect((await show(url, long)).status).toBe("stopped");
});

natsTest("submit --nats > a background task has its result at once", async ({ url }) => {
  await initStreams(url);
  await using _ = await RunningWorker.start(url, WORKER);
  using directory = temporaryDirectory();
  const go = `${directory.path}/go`;
  const command = `until [ -e ${go} ]; do sleep 0.02; done; echo $((40 + 2))`;
  const line = bashCall(command, { id: "c" }) as {
    arguments: Record<string, unknown>;
  };
  line.arguments["run_in_background"] = true;
  const submit = async (...flags: string[]) => {
    const run = await toolcall(["submit", `--nats=${url}`, ...flags], { stdin: lineOf(line) });
    return resultsIn(run.stdout)[0]!.content[0]!.text!;
  };
  expect(await submit()).toMatch(/^Started in the background as \w+\.1;/);
  const durable = ["--durable", "--batch=b"];
  expect(await submit(...durable)).toMatch(/^Started in the background as b\.c;/);
  // The same batch does not start it again.
  expect(await submit(...durable)).toMatch(/^Started in the background as b\.c;/);
  Deno.writeTextFileSync(go, "");
  const attached = await toolcall(["submit", `--nats=${url}`, "--batch=b", "--attach"]);
  expect(resultsIn(attached.stdout).map(({ id, content }) => [id, content[0]!.text]))
    .toEqual([["c", "42\n"]]);
  expect(await submit(...durable)).toBe("42\n");
  const all: Report[] = JSON.parse((await tasks(url, "--format=json")).stdout);
  expect(all.map(({ id }) => id.replace(/^\w{12}/, "x"))).toEqual(["b.c", "x.1"]);
});

natsTest("tasks logs > a long output is kept completely", async ({ url }) => {
  await initStreams(url);
  await using _ = await RunningWorker.start(url, WORKER);
  const id = await start(url, "seq 1 20000");
  const { text } = await untilStatus(url, id, "completed");
  expect(text).toContain(`is in "toolcall tasks logs ${id}"`);
  expect(text.length).toBeLessThan(31_000);
  const { stdout } = await tasks(url, "logs", id);
  expect(stdout).toBe(Array.from({ length: 20_000 }, (_, at) => `${at + 1}\n`).join(""));
});

natsTest(
  "call --nats > no remote call reads or stops the tasks of the worker's machine",
  async ({ url }) => {
    using directory = temporaryDirectory();
    const state = `--state-dir=${directory.path}/state`;
    const local = async (session: string[], name: string, args: Record<string, unknown>) => {
      const run = await toolcall(["-A", state, ...session, name, JSON.stringify(args)]);
      return { exit: run.code, text: JSON.parse(run.stdout).content[0].text as string };
    };
    const begin = async (...session: string[]) => {
      const call = { command: "sleep 600", run_in_background: true };
      return /task_\w+/.exec((await local(session, "Bash", call)).text)![0];
    };
    const isRunning = async (id: string) =>
      (await toolcall(["tasks", "show", id, state, "--format=json"])).stdout.includes('"running"');
    await initStreams(url);
    await using _ = await RunningWorker.start(url, [...WORKER, state]);
    const own = await begin();
    for (const name of ["TaskStop", "TaskOutput"]) {
      const args = { task_id: own, ...(name === "TaskOutput" && { block: false }) };
      for (const flags of [[], ["--session=nats"], ["--allow-all"]]) {
        const { exit, text } = await remoteCall(url, [name, args], flags);
        expect({ name, exit }).toEqual({ name, exit: 1 });
        expect(text).toContain("Cannot find the background task");
      }
    }
    expect(await isRunning(own)).toBe(true);
    // A tool of a call over NATS, such as Agent, makes calls with the session of the user.
    const theirs = await begin("--session=nats:alice:one");
    const other = await local(["--session=nats:bob:one"], "TaskStop", { task_id: theirs });
    expect(other.exit).toBe(1);
    expect(await isRunning(theirs)).toBe(true);
    const same = await local(["--session=nats:alice:two"], "TaskStop", { task_id: theirs });
    expect(same.exit).toBe(0);
    expect(await isRunning(theirs)).toBe(false);
    // The user at the machine can stop any task.
    expect((await local([], "TaskStop", { task_id: own })).exit).toBe(0);
  },
);

natsTest("deploy/nats.conf > no other user lists, reads or stops a task", async () => {
  const { nkeyAuthenticator } = await import("@nats-io/transport-node");
  using directory = temporaryDirectory();
  const { server, seeds, keys } = await startProtected(directory.path);
  await using _server = server;
  const { url } = server;
  await initStreams(url, [`--nats-nkey=${seeds.ADMIN}`]);
  await using _ = await RunningWorker.start(url, [...WORKER, `--nats-nkey=${seeds.WORKER}`]);
  const [own, other] = [`--nats-nkey=${seeds.ADMIN}`, `--nats-nkey=${seeds.CALLER}`];
  const run = (...args: string[]) => toolcall(["tasks", ...args, `--nats=${url}`]);
  const id = await start(url, "echo secret; sleep 600", [own]);
  const mine = async () => JSON.parse((await run("show", id, own, "--format=json")).stdout);
  await until(async () => (await mine()).text === "secret\n");
  for (const args of [["list"], ["show", id], ["logs", id], ["stop", id]]) {
    const { code, stdout, stderr } = await run(...args, other);
    expect({ args, code, stdout }).toEqual({ args, code: 6, stdout: "" });
    expect(stderr).toContain("the NATS server refuses");
  }
  const background = { command: "echo", run_in_background: true };
  expect((await remoteCall(url, ["Bash", background], [other])).exit).toBe(6);
  const connection = await connect({
    servers: url,
    authenticator: nkeyAuthenticator(Deno.readFileSync(seeds.CALLER)),
    inboxPrefix: `_INBOX.${keys.CALLER}`,
  });
  try {
    const [batch, token] = id.split(".");
    const record = `toolcall.result.0.${keys.ADMIN}.${batch}.${token}`;
    const refused = [
      `$JS.API.DIRECT.GET.TOOLCALL_RESULTS_0.${record}`,
      "$JS.API.DIRECT.GET.TOOLCALL_RESULTS_0",
      "$JS.API.STREAM.MSG.GET.TOOLCALL_RESULTS_0",
      "$JS.API.STREAM.INFO.TOOLCALL_RESULTS_0",
      record,
      `toolcall.cancel.${keys.ADMIN}.${batch}.${token}`,
      `toolcall.job.tasks.default.${keys.ADMIN}.x.1.Bash`,
      `toolcall.result.0.${keys.ADMIN}.~tasks`,
    ];
    for (const subject of refused) {
      const failure = await connection.request(subject, "{}", { timeout: 120_000 })
        .then(() => "", (error) => String(error));
      expect({ subject, failure: /permissions violation/i.test(failure) })
        .toEqual({ subject, failure: true });
    }
  } finally {
    await connection.close();
  }
  expect((await mine()).status).toBe("running");
  expect((await run("stop", id, own)).code).toBe(0);
  expect((await mine()).status).toBe("stopped");
});
