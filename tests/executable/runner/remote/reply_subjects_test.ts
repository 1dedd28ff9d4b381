/** Subjects and records that a user names and that belong to others: nothing reaches them. */
// tier: machine
import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import { headers, nkeys } from "@nats-io/nats-core";
import { connect, type Msg, type NatsConnection, nkeyAuthenticator } from "@nats-io/transport-node";
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
import { startProtected, type USERS } from "./protected_server.ts";

type User = typeof USERS[number];
type Protected = Awaited<ReturnType<typeof startProtected>>;

/** The streams, and the requests of JetStream's interface that change something. */
const STREAMS = [
  "TOOLCALL_CALLS_0",
  "TOOLCALL_RESULTS_0",
  "TOOLCALL_DEAD",
  "OBJ_toolcall_blobs",
];
const CHANGES = [
  ...["STREAM.PURGE", "STREAM.DELETE", "STREAM.UPDATE", "STREAM.CREATE", "STREAM.MSG.DELETE"],
  ...["STREAM.SNAPSHOT", "STREAM.RESTORE", "STREAM.LEADER.STEPDOWN", "CONSUMER.CREATE"],
];

/** The subjects that belong to another user or to the server. */
const foreignSubjects = (victim: string) => [
  ...STREAMS.flatMap((stream) => CHANGES.map((change) => `$JS.API.${change}.${stream}`)),
  "$JS.API.CONSUMER.DELETE.TOOLCALL_CALLS_0.workers-default",
  "$JS.API.CONSUMER.DURABLE.CREATE.TOOLCALL_CALLS_0.planted",
  "$JS.ACK.TOOLCALL_CALLS_0.workers-default.1.1.1.1.0",
  "$O.toolcall_blobs.M.planted",
  `toolcall.cancel.${victim}.b.1`,
  `toolcall.result.0.${victim}.b.1`,
  `toolcall.result.0.${victim}.~tasks`,
  `toolcall.progress.${victim}.b.1`,
  `toolcall.job.0.default.${victim}.b.1.Bash`,
  `toolcall.job.tasks.default.${victim}.b.1.Bash`,
  `toolcall.dead.default.${victim}.b.1`,
  "toolcall.call.default.Write",
  `toolcall.open.default.${victim}.w`,
  `toolcall.in.default.${victim}.w`,
  `toolcall.in.default.${victim}.w.Bash`,
  `_INBOX.${victim}`,
  `_INBOX.${victim}.x.1`,
  `_INBOX.${victim}.toolcall.b.1`,
  `_INBOX.${victim}.toolcall.b.pack-1`,
  `_INBOX.x*.1`,
  `_inbox.${victim}.1`,
  "elsewhere",
];

/** Connects as a user, and closes the connection in the end. */
async function connectAs({ server, seeds, keys }: Protected, user: User) {
  const connection = await connect({
    servers: server.url,
    authenticator: nkeyAuthenticator(Deno.readFileSync(seeds[user])),
    inboxPrefix: `_INBOX.${keys[user]}`,
  });
  return { connection, [Symbol.asyncDispose]: () => connection.close() };
}

/** The subjects to which the configuration lets a user publish, with tokens for its wildcards. */
function publishSubjects(user: User, keys: Record<User, string>): string[] {
  const config = Deno.readTextFileSync(
    new URL("../../../../deploy/nats.conf", import.meta.url),
  );
  const from = config.indexOf(`nkey: "${user}_PUBLIC_KEY"`);
  const list = config.slice(config.indexOf("publish: [", from));
  return [...list.slice(0, list.indexOf("]")).matchAll(/"([^"]+)"/g)].map(([, subject]) =>
    subject!.replaceAll(`${user}_PUBLIC_KEY`, keys[user]).replaceAll("*", "w")
      .replace(/>$/, "w.9").replace(/(\.job\.tasks\.\w+\.\w+\.)w\.w/, "$1w.9")
  );
}

/** Returns the number of messages and consumers of each stream. */
async function stateOf(manager: JetStreamManager): Promise<unknown[]> {
  return await Promise.all(STREAMS.map(async (name) => {
    const { config, state } = await manager.streams.info(name);
    const { messages, first_seq, last_seq, consumer_count } = state;
    return { name, messages, first_seq, last_seq, consumer_count, subjects: config.subjects };
  }));
}

/** Signs a message of a user, as any client can. */
function sign(seed: string, sender: string): string {
  return nkeys.fromSeed(Deno.readFileSync(seed))
    .sign(new TextEncoder().encode(`toolcall calls of ${sender}`))
    .toBase64({ alphabet: "base64url", omitPadding: true });
}

/** The headers with the proof of a user. */
function signed(seed: string, sender: string) {
  const all = headers();
  all.set("Toolcall-Proof", sign(seed, sender));
  return all;
}

/** The payloads of an attack: a quick call, one that takes a turn, a pack, a task, and no JSON. */
const payloads = (mark: string) => [
  JSON.stringify({ file_path: "/etc/hostname" }),
  JSON.stringify({ command: `echo begun >> ${mark}; echo` }),
  JSON.stringify([["a", { file_path: "/etc/hostname" }], ["b", { command: `touch ${mark}` }]]),
  JSON.stringify({ command: `touch ${mark}`, run_in_background: true }),
  "not JSON",
];

for (const [attacker, other] of [["CALLER", "BUILDER"], ["BUILDER", "CALLER"]] as const) {
  natsTest(`deploy/nats.conf > the user ${attacker} reaches no subject of others`, async () => {
    using directory = temporaryDirectory();
    const place = await startProtected(directory.path);
    await using server = place.server;
    const { seeds, keys } = place;
    await initStreams(server.url, [`--nats-nkey=${seeds.ADMIN}`]);
    const workspaces = `${directory.path}/workspaces`;
    Deno.mkdirSync(workspaces, { mode: 0o700 });
    const flags = ["-A", "--jobs=1", `--nats-nkey=${seeds.WORKER}`];
    await using durable = await RunningWorker.start(server.url, [...flags, "--durable"]);
    await using inWorkspaces = await RunningWorker.start(server.url, [
      ...["--jobs=1", `--nats-nkey=${seeds.WORKER}`, `--workspace=${workspaces}`],
      ...[`--allow-read=${workspaces}`, `--allow-write=${workspaces}`, "--allow-run=bash,touch"],
    ]);
    await using admin = await connectAs(place, "ADMIN");
    const manager = await jetstreamManager(admin.connection);
    await plantRecords(admin.connection, keys[other]);
    // The attacker has a workspace, so that the subjects in it have a listener.
    const own = [`--nats-nkey=${seeds[attacker]}`, "--workspace=w"];
    const read = ["Read", { file_path: "/etc/hostname" }] as const;
    if (attacker === "CALLER") await remoteCall(server.url, read, own);
    const before = await stateOf(manager);
    const targets = foreignSubjects(keys[other]);
    const reached: string[] = [];
    admin.connection.subscribe(">", {
      callback: (_, { subject, reply }: Msg) => {
        // A worker acknowledges and pulls with its own inbox.
        if (targets.includes(subject) && !reply?.includes(keys.WORKER)) reached.push(subject);
      },
    });
    await admin.connection.flush();
    await using caller = await connectAs(place, attacker);
    const mark = `${directory.path}/mark`;
    await attack(caller.connection, { subjects: publishSubjects(attacker, keys), targets, mark });
    for (const { name } of [durable, inWorkspaces]) {
      // A worker with one job answers this call after everything that came before it.
      await admin.connection.request(`toolcall.at.${name}.Bash`, '{"command":"echo"}', {
        ...{ timeout: 120_000, headers: signed(seeds.ADMIN, keys.ADMIN) },
      });
    }
    await admin.connection.flush();
    expect(reached).toEqual([]);
    expect(await stateOf(manager)).toEqual(before);
    expect([...Deno.readDirSync(directory.path)].some(({ name }) => name === "mark")).toBe(false);
    for (const worker of [durable, inWorkspaces]) {
      const lines = worker.stderr.split("\n").filter((line) => line.includes("ignored"));
      expect(lines.length).toBeGreaterThan(0);
      // A warning comes once a minute.
      expect(lines.length).toBeLessThan(5);
      expect(lines[0]).toContain("is not an inbox of the sender");
    }
  });
}

/** Publishes each payload to each subject, with each of the targets as the reply subject. */
async function attack(
  connection: NatsConnection,
  { subjects, targets, mark }: {
    subjects: readonly string[];
    targets: readonly string[];
    mark: string;
  },
): Promise<void> {
  const progress = headers();
  progress.set("Toolcall-Progress", "1");
  // A name in the header can be that of another's object or session.
  progress.set("Toolcall-Session", "s");
  progress.set("Toolcall-State", "done");
  for (const subject of subjects) {
    for (const payload of payloads(mark)) {
      for (const reply of targets) {
        connection.publish(subject, payload, { reply });
        connection.publish(subject, payload, { reply, headers: progress });
      }
    }
    await connection.flush();
  }
}

/** Puts a message of another user into each stream, so that a purge is noticed. */
async function plantRecords(connection: NatsConnection, user: string): Promise<void> {
  const record = headers();
  record.set("Toolcall-State", "done");
  for (
    const subject of [
      `toolcall.result.0.${user}.b.0`,
      `toolcall.job.0.idle.${user}.b.0.Bash`,
      `toolcall.dead.default.${user}.b.0`,
    ]
  ) {
    await connection.request(subject, "{}", { headers: record, timeout: 120_000 });
  }
}

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
