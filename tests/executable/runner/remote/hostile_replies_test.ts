/** Reply subjects that belong to others. No answer of a worker reaches one of them. */
// tier: machine
import { jetstreamManager } from "@nats-io/jetstream";
import { createInbox, headers } from "@nats-io/nats-core";
import { connect, type Msg, type NatsConnection } from "@nats-io/transport-node";
import { Objm } from "@nats-io/obj";
import { expect } from "@std/expect";
import { attempts } from "../../../support/attempts.ts";
import { temporaryDirectory } from "../../../support/temporary_directory.ts";
import {
  initStreams,
  natsTest,
  remoteCall,
  RunningWorker,
  until,
} from "../../../support/nats_server.ts";
import { readCall } from "../submit/submitted.ts";
import { RunningBatch } from "./durable_batches.ts";
import { accountState, foreignInboxes, foreignSubjects, OTHERS } from "./foreign_subjects.ts";
import { connectAs, signed, startProtected, type User } from "./protected_server.ts";

const CONFIG = Deno.readTextFileSync(new URL("../../../../deploy/nats.conf", import.meta.url));

/** The batch of the durable calls of the administrator, which run beside the attack. */
const LIVE = "live";

/** The subjects on which a worker listens, by the configuration. */
function listenedSubjects(): string[] {
  const worker = CONFIG.slice(CONFIG.indexOf('nkey: "WORKER_PUBLIC_KEY"'));
  const list = worker.slice(worker.indexOf("subscribe: ["), worker.indexOf("]"));
  return [...list.matchAll(/"([^"\s]+)[^"]*"/g)].map(([, subject]) => subject!)
    .filter((subject) => !subject.startsWith("_INBOX."));
}

/** Subjects that an attacker publishes to. Each is one on which a worker listens. */
function attackedSubjects(attacker: string, workers: readonly string[]): string[] {
  return [
    ...["Read", "Grep", "Bash"].map((tool) => `toolcall.call.default.${tool}`),
    ...workers.flatMap((name) => [
      ...["Read", "Bash"].map((tool) => `toolcall.at.${name}.${tool}`),
      ...["PING", "INFO", "STATS"].map((verb) => `$SRV.${verb}.toolcall.${name}`),
    ]),
    ...["", ".Read", ".Bash", ".None"].map((end) => `toolcall.in.default.${attacker}.w${end}`),
    ...[`toolcall.open.default.${attacker}.w`, `toolcall.cancel.${attacker}.w.9`],
    ...["toolcall.task.default.Bash", "toolcall.ping.default"],
  ];
}

/** Whether a subject matches a pattern of NATS. */
function matches(pattern: string, subject: string): boolean {
  const tokens = pattern.split(".").map((token) =>
    token === "*" ? "[^.]+" : token === ">" ? ".+" : RegExp.escape(token)
  );
  return new RegExp(`^${tokens.join("[.]")}$`).test(subject);
}

/** The payloads of an attack: a quick call, one that takes a turn, a pack, a task, and no JSON. */
const payloads = (mark: string) => [
  JSON.stringify({ file_path: "/etc/hostname" }),
  JSON.stringify({ command: `echo begun >> ${mark}; echo` }),
  JSON.stringify([["a", { file_path: "/etc/hostname" }], ["b", { command: `touch ${mark}` }]]),
  JSON.stringify({ command: `touch ${mark}`, run_in_background: true }),
  ...["not JSON", ""],
];

/** The headers of an attack: none, and some that name objects, sessions and states of others. */
function attackHeaders(seed: string, attacker: string, victim: string) {
  const given = signed(seed, attacker);
  given.set("Toolcall-Progress", "1");
  given.set("Toolcall-Session", "s");
  given.set("Toolcall-State", "done");
  const blob = signed(seed, `${attacker}.b`);
  blob.set("Toolcall-Blob", `${victim}.b.1.args`);
  return [undefined, given, blob];
}

/** Reads of files with different texts. A result of another call is noticed by its text. */
class Victim implements AsyncDisposable {
  #count = 0;
  private constructor(readonly directory: string, readonly batch: RunningBatch) {}

  /** Starts a `submit` with these flags, and waits for its first results. */
  static async start(url: string, parent: string, flags: readonly string[]): Promise<Victim> {
    const directory = Deno.makeTempDirSync({ dir: parent });
    const victim = new Victim(directory, new RunningBatch(url, flags));
    await victim.send();
    await victim.batch.until(victim.#count);
    return victim;
  }

  /** Sends some calls, and does not wait for their results. */
  async send(): Promise<void> {
    const lines = Array.from({ length: 10 }, () => {
      const id = `v${this.#count++}`;
      Deno.writeTextFileSync(`${this.directory}/${id}`, `text of ${id}`);
      return readCall(`${this.directory}/${id}`, { id });
    });
    await this.batch.send(lines);
  }

  /** Ends the calls, and checks that each has its own result once. */
  async check(): Promise<void> {
    const code = await this.batch.end();
    const texts = this.batch.results.map(({ id, content }) =>
      content[0]?.text?.includes(`text of ${id}`) ? id : JSON.stringify({ id, content })
    );
    const all = Array.from({ length: this.#count }, (_, at) => `v${at}`);
    expect({ code, texts: texts.sort() }).toEqual({ code: 0, texts: all.sort() });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.batch[Symbol.asyncDispose]();
  }
}

/** Makes what an attack could change, and returns the subject that acknowledges a held message. */
async function plantState(connection: NatsConnection, user: string): Promise<string> {
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: OTHERS.bucket, subjects: ["$KV.others.>"] });
  const done = headers();
  done.set("Toolcall-State", "done");
  for (
    const subject of [
      ...[`toolcall.result.0.${user}.b.0`, `toolcall.job.0.idle.${user}.b.0.Bash`],
      ...[`toolcall.dead.default.${user}.b.0`, "$KV.others.key"],
    ]
  ) {
    await connection.request(subject, "{}", { headers: done, timeout: 120_000 });
  }
  for (const store of [await objects("toolcall_blobs"), await objects("others")]) {
    await store.putBlob({ name: `${user}.b.1.args` }, new TextEncoder().encode("{}"));
  }
  await manager.consumers.add("TOOLCALL_CALLS_0", {
    ...{ durable_name: "held", filter_subject: "toolcall.job.0.idle.>" },
    ...{ ack_policy: "explicit", ack_wait: 3_600e9 },
  });
  const next = "$JS.API.CONSUMER.MSG.NEXT.TOOLCALL_CALLS_0.held";
  const inbox = createInbox();
  const pulled = connection.subscribe(inbox, { max: 1, timeout: 120_000 });
  connection.publish(next, '{"batch":1}', { reply: inbox });
  for await (const { reply = "" } of pulled) return reply;
  throw new Error("The message that is held was not delivered");

  function objects(name: string) {
    return new Objm(connection).create(name);
  }
}

/** Publishes payloads to each subject, with each of the targets as the reply subject. */
async function attack(
  connection: NatsConnection,
  { subjects, targets, mark, all, between }: {
    subjects: readonly string[];
    targets: readonly string[];
    mark: string;
    all: ReturnType<typeof attackHeaders>;
    /** Awaited after the messages to each subject. */
    between: () => Promise<void>;
  },
): Promise<void> {
  const sent = payloads(mark);
  for (const [at, subject] of subjects.entries()) {
    // Each target gets one of the payloads with each subject, and with all attempts every one.
    for (let count = 0; count < attempts(sent.length); count++) {
      for (const [turn, reply] of targets.entries()) {
        const payload = sent[(at + turn + count) % sent.length]!;
        // A worker checks each signature for some milliseconds, so the headers take turns.
        const own = all[(turn + count) % all.length];
        connection.publish(subject, payload, { reply, ...(own && { headers: own }) });
      }
    }
    await connection.flush();
    await between();
  }
}

/** The subjects of a user who may call everything, and has no right to a stream. */
const EVERY_CALL = [
  ...["toolcall.call.default.>", "toolcall.at.>", "toolcall.task.default.>", "$SRV.>"],
  "toolcall.ping.default",
];

/** The attacker, its victim, what the attacker may publish besides, and the user of the workers. */
const ATTACKS: [User, User, string[], User][] = [
  ["BUILDER", "CALLER", [], "WORKER"],
  ["CALLER", "BUILDER", EVERY_CALL, "WORKER"],
  // The server refuses nothing that such a worker sends, so only the worker can refuse it.
  ["CALLER", "BUILDER", EVERY_CALL, "ADMIN"],
];

for (const [attacker, other, more, workerUser] of ATTACKS) {
  const who = `the user ${attacker}${more.length > 0 ? " who may call everything" : ""}`;
  const rights = workerUser === "ADMIN" ? "workers that may do everything" : "the workers";
  natsTest(`deploy/nats.conf > ${who} changes nothing of others through ${rights}`, async () => {
    using directory = temporaryDirectory();
    const { path } = directory;
    const place = await startProtected(path, more);
    await using server = place.server;
    const { seeds, keys } = place;
    await initStreams(server.url, [`--nats-nkey=${seeds.ADMIN}`]);
    const [workspaces, files] = [`${path}/workspaces`, `${path}/files`];
    for (const each of [workspaces, files]) Deno.mkdirSync(each, { mode: 0o700 });
    const flags = ["--jobs=1", `--nats-nkey=${seeds[workerUser]}`];
    await using durable = await RunningWorker.start(server.url, [...flags, "-A", "--durable"]);
    await using inWorkspaces = await RunningWorker.start(server.url, [
      ...[...flags, "--pool=default", `--workspace=${workspaces}`, "--allow-run=bash,touch"],
      ...[`--allow-read=${files}`, `--allow-read=${workspaces}`, `--allow-write=${workspaces}`],
    ]);
    const names = [durable.name, inWorkspaces.name];
    const subjects = attackedSubjects(keys[attacker], names);
    // The attack covers each subject on which a worker listens.
    const listened = listenedSubjects();
    expect(listened).toContain("toolcall.task.default.>");
    expect(listened.filter((each) => !subjects.some((subject) => matches(each, subject))))
      .toEqual([]);
    await using admin = await connectAs(place, "ADMIN");
    const { connection } = admin;
    const manager = await jetstreamManager(connection);
    const acknowledgement = await plantState(connection, keys[other]);
    const inboxes = new Set<string>();
    connection.subscribe(`_INBOX.${keys[other]}.toolcall.*.*`, {
      callback: (_, { subject }: Msg) => void inboxes.add(subject.split(".")[3]!),
    });
    await using quick = await Victim.start(server.url, files, [`--nats-nkey=${seeds[other]}`]);
    await using kept = await Victim.start(server.url, files, [
      ...[`--nats-nkey=${seeds.ADMIN}`, "--durable", `--batch=${LIVE}`],
    ]);
    // The attacker has a workspace, so that the subjects in it have a listener.
    const own = [`--nats-nkey=${seeds[attacker]}`, "--workspace=w"];
    if (attacker === "CALLER") await remoteCall(server.url, ["Grep", { pattern: "x" }], own);
    const [batch = ""] = inboxes;
    const before = await accountState(manager, [LIVE]);
    const silent = [
      ...foreignSubjects(keys[other], { batch: "b", acknowledgement }),
      ...foreignInboxes(keys[other], "b"),
    ];
    const reached: string[] = [];
    connection.subscribe(">", {
      callback: (_, { subject, reply }: Msg) => {
        // A request names its own inbox, and an answer names none.
        if (silent.includes(subject) && !reply) reached.push(subject);
      },
    });
    await connection.flush();
    await using caller = await connectAs(place, attacker);
    await attack(caller.connection, {
      subjects,
      targets: [
        ...silent,
        ...foreignSubjects(keys[other], { batch, acknowledgement }),
        ...foreignInboxes(keys[other], batch),
        ...foreignSubjects(keys.ADMIN, { batch: LIVE, acknowledgement }),
        ...foreignInboxes(keys.ADMIN, LIVE),
      ],
      mark: `${path}/mark`,
      all: attackHeaders(seeds[attacker], keys[attacker], keys[other]),
      between: async () => {
        await quick.send();
        await kept.send();
      },
    });
    for (const name of names) {
      // A worker with one job answers this call after everything that came before it.
      await connection.request(`toolcall.at.${name}.Bash`, '{"command":"echo"}', {
        ...{ timeout: 120_000, headers: signed(seeds.ADMIN, keys.ADMIN) },
      });
    }
    await connection.flush();
    expect([...new Set(reached)]).toEqual([]);
    await quick.check();
    await kept.check();
    expect(await accountState(manager, [LIVE])).toEqual(before);
    expect([...Deno.readDirSync(path)].some(({ name }) => name === "mark")).toBe(false);
    for (const worker of [durable, inWorkspaces]) {
      const lines = worker.stderr.split("\n").filter((line) => line.includes("ignored"));
      expect(lines.length).toBeGreaterThan(0);
      // A warning comes once a minute.
      expect(lines.length).toBeLessThan(5);
      expect(lines[0]).toContain("is not an inbox of the sender");
    }
  });
}

natsTest("toolcall worker > a durable call is answered only by its result", async ({ url }) => {
  await initStreams(url);
  using directory = temporaryDirectory();
  const path = `${directory.path}/a`;
  Deno.writeTextFileSync(path, "a");
  await using _ = await RunningWorker.start(url, ["-A", "--durable"]);
  const connection = await connect({ servers: url });
  const targets = [
    // The server itself acknowledges a durable call to its reply subject. Those left out would obey.
    ...foreignSubjects("victim", { batch: "b", acknowledgement: "$JS.ACK.x" })
      .filter((each) => !/^(\$|toolcall\.(result|job|dead|call|at|task|open|in)\.)/.test(each)),
    ...foreignInboxes("victim", "b"),
  ];
  const reached: string[] = [];
  const isAcknowledgement = (text: string) => text.startsWith('{"stream":"TOOLCALL_CALLS_0"');
  connection.subscribe(">", {
    callback: (_, message: Msg) => {
      const { subject } = message;
      if (targets.includes(subject) && !isAcknowledgement(message.string())) reached.push(subject);
    },
  });
  let results = 0;
  connection.subscribe("toolcall.result.0.attacker.>", {
    callback: (_, { headers }: Msg) => {
      if (headers?.get("Toolcall-State") === "done") results++;
    },
  });
  await connection.flush();
  const calls = [["Read", { file_path: path }], ["Bash", { command: "echo" }]] as const;
  let count = 0;
  for (const reply of targets) {
    for (const [tool, args] of calls) {
      const progress = headers();
      progress.set("Toolcall-Progress", "1");
      const subject = `toolcall.job.0.default.attacker.b.${count++}.${tool}`;
      connection.publish(subject, JSON.stringify(args), { reply, headers: progress });
    }
    const task = JSON.stringify({ command: "echo", run_in_background: true });
    connection.publish(`toolcall.job.tasks.default.attacker.b.${count++}.Bash`, task, { reply });
  }
  await until(() => results >= count);
  await connection.close();
  expect(reached).toEqual([]);
});
