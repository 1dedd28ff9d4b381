/** Reply subjects of users with keys: each user gets its own answers. */
// tier: machine
import { headers } from "@nats-io/nats-core";
import { expect } from "@std/expect";
import { openWorkerList } from "../../../../src/runner/remote/list_workers.ts";
import { temporaryDirectory, toolcall } from "../../../support/executable.ts";
import {
  initStreams,
  natsTest,
  remoteCall,
  RunningWorker,
  until,
} from "../../../support/nats_server.ts";
import { lineOf, readCall, resultsIn } from "../submit/submitted.ts";
import { connectAs, sign, startProtected } from "./protected_server.ts";

natsTest("deploy/nats.conf > the calls of each user work with the proof of the user", async () => {
  using directory = temporaryDirectory();
  const { server, seeds } = await startProtected(directory.path);
  await using _server = server;
  const { url } = server;
  await initStreams(url, [`--nats-nkey=${seeds.ADMIN}`]);
  const workspaces = `${directory.path}/workspaces`;
  Deno.mkdirSync(workspaces, { mode: 0o700 });
  const path = `${directory.path}/a.txt`;
  Deno.writeTextFileSync(path, "hello");
  const worker = ["-A", "--durable", `--nats-nkey=${seeds.WORKER}`];
  {
    await using _ = await RunningWorker.start(url, worker);
    for (const user of ["CALLER", "BUILDER", "ADMIN"] as const) {
      const nkey = `--nats-nkey=${seeds[user]}`;
      const lines = Array.from({ length: 200 }, (_, id) => readCall(path, { id }));
      const submit = ["submit", `--nats=${url}`, nkey];
      const run = await toolcall(submit, { stdin: lines.map(lineOf).join("") });
      expect({ user, code: run.code, count: resultsIn(run.stdout).length })
        .toEqual({ user, code: 0, count: 200 });
    }
    const workers = await openWorkerList({ servers: [url], nkey: seeds.ADMIN }, "default");
    expect((await workers.list()).workers.length).toBe(1);
    await workers.close();
    // Who may publish to a stream could do anything, so these users may not.
    for (const user of ["CALLER", "BUILDER"] as const) {
      const flags = [`--nats-nkey=${seeds[user]}`];
      const durable = await toolcall(["submit", `--nats=${url}`, "--durable", ...flags], {
        stdin: lineOf(readCall(path, { id: 1 })),
      });
      expect({ user, code: durable.code }).toEqual({ user, code: 6 });
      expect(durable.stderr).toContain("Permissions Violation");
      const task = { command: "echo", run_in_background: true };
      expect((await remoteCall(url, ["Bash", task], flags)).exit).toBe(6);
    }
    const echo = ["Bash", { command: "echo one; echo two" }] as const;
    const built = await remoteCall(url, echo, [`--nats-nkey=${seeds.BUILDER}`]);
    expect(built.text).toBe("one\ntwo\n");
    const task = ["Bash", { command: "echo done", run_in_background: true }] as const;
    const started = await remoteCall(url, task, [`--nats-nkey=${seeds.ADMIN}`]);
    expect(started.text).toContain("Started in the background as ");
    // A worker reads large arguments in parts, and the server waits for it to go on.
    const big = { file_path: `${directory.path}/big.txt`, content: "x".repeat(8_000_000) };
    const line = lineOf({ id: 1, name: "Write", arguments: big });
    const admin = ["submit", `--nats=${url}`, `--nats-nkey=${seeds.ADMIN}`];
    for (const flags of [[], ["--durable"]]) {
      expect((await toolcall([...admin, ...flags], { stdin: line })).code).toBe(0);
      expect(Deno.statSync(big.file_path).size).toBe(8_000_000);
      Deno.removeSync(big.file_path);
    }
  }
  await using _ = await RunningWorker.start(url, [
    ...[`--nats-nkey=${seeds.WORKER}`, `--workspace=${workspaces}`],
    `--allow-read=${workspaces}`,
  ]);
  const own = [`--nats-nkey=${seeds.CALLER}`, "--workspace=w"];
  const grep = await remoteCall(url, ["Grep", { pattern: "x" }], own);
  expect({ exit: grep.exit, text: grep.text }).toMatchObject({ exit: 0 });
});

natsTest("toolcall worker > another client proves its user with a signature", async () => {
  using directory = temporaryDirectory();
  const place = await startProtected(directory.path);
  await using server = place.server;
  const { seeds, keys } = place;
  await using worker = await RunningWorker.start(server.url, [
    "-A",
    `--nats-nkey=${seeds.WORKER}`,
  ]);
  await using admin = await connectAs(place, "ADMIN");
  await using caller = await connectAs(place, "CALLER");
  const answers: string[] = [];
  const inbox = `_INBOX.${keys.CALLER}`;
  for (const { connection } of [admin, caller]) {
    connection.subscribe(`${inbox}.>`, {
      callback: (_, { subject }) => void answers.push(subject.slice(inbox.length + 1)),
    });
    await connection.flush();
  }
  const call = (reply: string, proof?: string) => {
    const own = headers();
    if (proof !== undefined) own.set("Toolcall-Proof", proof);
    const options = { reply: `${inbox}.${reply}`, headers: own };
    caller.connection.publish("toolcall.call.default.Read", "{}", options);
  };
  const [user, batch] = [keys.CALLER, `${keys.CALLER}.b`];
  call("none.1");
  call("none.2", sign(seeds.BUILDER, user));
  call("none.3", sign(seeds.CALLER, batch));
  call("toolcall.b.4", sign(seeds.CALLER, user));
  call("toolcall.c.5", sign(seeds.CALLER, batch));
  call("none.6", "%");
  call("own.1", sign(seeds.CALLER, user));
  call("toolcall.b.2", sign(seeds.CALLER, batch));
  await until(() => new Set(answers).size >= 2);
  expect(new Set(answers)).toEqual(new Set(["own.1", "toolcall.b.2"]));
  expect(worker.stderr.split("ignored").length).toBe(2);
  // The administrator may use an inbox without a key, as "nats service ls" does.
  const plain = `_INBOX.${crypto.randomUUID()}`;
  const listed: string[] = [];
  admin.connection.subscribe(`${plain}.*`, { callback: (_, m) => void listed.push(m.string()) });
  admin.connection.publish("$SRV.PING", "", { reply: `_INBOX.${keys.ADMIN}.1` });
  admin.connection.publish("$SRV.PING", "", { reply: `${plain}.1` });
  await until(() => listed.length > 0);
  expect(listed[0]).toContain(worker.name);
});
