/** Durable calls that travel together in one message: each has its own result, as a single call has. */
// tier: machine
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { expect } from "@std/expect";
import { temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { initStreams, natsTest, RunningWorker, until } from "../../../support/nats_server.ts";
import { isStopped } from "../../../support/processes.ts";
import { lineOf, readCall, type ResultLine, resultsIn } from "../submit/submitted.ts";
import { codeOf, Edits, Fleet, RunningBatch, submitDurably } from "./durable_batches.ts";

/** Puts a pack of calls of a tool into the queue, as `submit` does. */
async function sendPack(
  url: string,
  tool: string,
  calls: readonly (readonly [id: string, args: Record<string, unknown>])[] | string,
): Promise<void> {
  await using opened = await open(url);
  const subject = `toolcall.job.0.default.anyone.b.~${crypto.randomUUID()}.${tool}`;
  const payload = typeof calls === "string" ? calls : JSON.stringify(calls);
  await jetstream(opened.connection).publish(subject, payload);
}

async function open(url: string): Promise<AsyncDisposable & { connection: NatsConnection }> {
  const connection = await connect({ servers: url });
  return { connection, [Symbol.asyncDispose]: () => connection.close() };
}

/** The messages that a stream got so far, and those that it has. */
async function countsOf(url: string, stream: string): Promise<{ all: number; kept: number }> {
  await using opened = await open(url);
  const { state } = await (await jetstreamManager(opened.connection)).streams.info(stream);
  return { all: state.last_seq, kept: state.messages };
}

/** Waits for all results of the batch of {@link sendPack}. */
async function attached(url: string): Promise<ResultLine[]> {
  const { stdout } = await toolcall(["submit", `--nats=${url}`, "--batch=b", "--attach"]);
  return resultsIn(stdout).sort((a, b) => String(a.id).localeCompare(String(b.id)));
}

const codesById = (results: readonly ResultLine[]) =>
  results.map((result) => [result.id, codeOf(result)]);

/** The calls of {@link Edits} as the content of a pack. */
const packOf = (edits: Edits) =>
  (edits.lines as { id: string; arguments: Record<string, unknown> }[]).map(
    ({ id, arguments: args }) => [id, args] as const,
  );

const FLAGS = ["-A", "--durable", "--jobs=2"];

natsTest("submit --durable > packed calls have the results of local calls", async ({ url }) => {
  using directory = temporaryDirectory();
  const { path } = directory;
  await initStreams(url);
  const grant = `--allow-read=${path}`;
  await using _ = await RunningWorker.start(url, [grant, "--durable"]);
  Deno.writeTextFileSync(`${path}/short`, "hällo\n");
  Deno.writeTextFileSync(`${path}/lines`, "a line of the file\n".repeat(5_000));
  Deno.writeTextFileSync(`${path}/long`, `${"x".repeat(100)}\n`.repeat(20_000));
  const lines = Array.from({ length: 2_000 }, (_, at) => {
    const id = at % 3 === 0 ? at : at % 3 === 1 ? `c${at}` : `an id with "signs" ${at}`;
    if (at % 97 === 50) return readCall(`${path}/long`, { id });
    if (at % 89 === 50) return readCall(`${path}/lines`, { id });
    if (at % 83 === 50) return readCall(`${path}/none`, { id });
    if (at % 79 === 50) return readCall("/etc/hostname", { id });
    return readCall(`${path}/short`, { id });
  });
  const remote = await submitDurably(url, lines, ["--batch=b"]);
  const local = await toolcall(["submit", grant], { stdin: lines.map(lineOf).join("") });
  const sorted = (results: ResultLine[]) =>
    results.sort((a, b) => String(a.id).localeCompare(String(b.id)));
  expect(remote.code).toBe(local.code);
  expect(sorted(remote.results)).toEqual(sorted(resultsIn(local.stdout)));
  expect(await attached(url)).toEqual(remote.results);
  // Most calls shared a message with others, and the queue is empty.
  const sent = await countsOf(url, "TOOLCALL_CALLS_0");
  expect(sent.all).toBeLessThan(lines.length / 2);
  expect(sent.kept).toBe(0);
  // Nothing is sent again if the batch is repeated, and the results stay the same.
  const again = await submitDurably(url, lines, ["--batch=b"]);
  expect(sorted(again.results)).toEqual(remote.results);
  expect(await countsOf(url, "TOOLCALL_CALLS_0")).toEqual(sent);
  // An id that comes twice is refused in a pack too.
  const twice = await submitDurably(url, [...lines, lines.at(-1)], ["--batch=c"]);
  expect(twice.results.filter((result) => codeOf(result) === "malformed_call").length).toBe(1);
});

// Two kills for each batch, because a call that was with a third lost worker is given up.
for (const point of ["taken:50", "run:50", "put:50"] as const) {
  natsTest(`submit --durable > packed reads survive two kills at ${point}`, async ({ url }) => {
    using directory = temporaryDirectory();
    const file = `${directory.path}/a.txt`;
    Deno.writeTextFileSync(file, "hello\n");
    await initStreams(url, ["--lease=1s"]);
    const plan = [point, point];
    await using fleet = await Fleet.start(url, 1, { flags: FLAGS, nextFault: () => plan.shift() });
    const count = 10_000;
    const lines = Array.from({ length: count }, (_, id) => readCall(file, { id }));
    await using batch = new RunningBatch(url, ["--durable", "--batch=b"]);
    // Reads travel in packs after the first result.
    await batch.send(lines.slice(0, 1));
    await batch.until(1);
    await batch.send(lines.slice(1));
    const code = await batch.end();
    const failed = batch.results.filter((result) => codeOf(result) !== "ok");
    expect({ code, failed }).toEqual({ code: 0, failed: [] });
    expect(fleet.deaths).toBe(2);
    expect(batch.results.length).toBe(count);
    expect(new Set(batch.results.map(({ id }) => id)).size).toBe(count);
    const all = await attached(url);
    expect(all.length).toBe(count);
    expect(new Set(all.map(codeOf))).toEqual(new Set(["ok"]));
  });
}

// The record of the pack is the first result.
for (const point of ["claiming:1", "claimed:2", "run:2", "put:2"] as const) {
  natsTest(
    `a durable pack > no change starts twice when a worker dies: ${point}`,
    async ({ url }) => {
      using directory = temporaryDirectory();
      await initStreams(url, ["--lease=1s"]);
      const edits = new Edits(directory.path, 12);
      await sendPack(url, "Edit", packOf(edits));
      await using first = await RunningWorker.start(url, FLAGS, { fault: point });
      expect(await first.killed()).toBe("SIGKILL");
      await using _ = await RunningWorker.start(url, FLAGS);
      const interrupted = edits.check(await attached(url));
      expect(interrupted).toBeLessThanOrEqual(3);
      if (point === "claimed:2") expect(interrupted).toBeGreaterThan(0);
      expect((await countsOf(url, "TOOLCALL_CALLS_0")).kept).toBe(0);
    },
  );
}

natsTest("a durable pack > only a call with three lost workers is given up", async ({ url }) => {
  using directory = temporaryDirectory();
  await initStreams(url, ["--lease=1s"]);
  const edits = new Edits(directory.path, 3);
  await sendPack(url, "Edit", packOf(edits));
  // The first worker is lost with the pack, and the next ones with its first call.
  for (const fault of ["taken:1", "claiming:1", "claiming:1"] as const) {
    await using lost = await RunningWorker.start(url, FLAGS, { fault });
    expect(await lost.killed()).toBe("SIGKILL");
  }
  await using _ = await RunningWorker.start(url, FLAGS);
  const results = await attached(url);
  expect(codesById(results)).toEqual([["c0", "unavailable"], ["c1", "ok"], ["c2", "ok"]]);
  expect(results[0]!.content[0]!.text).toContain("was given up: 3 workers were lost with it");
  expect(["c0", "c1", "c2"].map((id) => edits.begun(id))).toEqual([0, 1, 1]);
  await using opened = await open(url);
  const manager = await jetstreamManager(opened.connection);
  const letter = await manager.streams.getMessage("TOOLCALL_DEAD", { seq: 1 });
  expect(letter!.subject).toBe("toolcall.dead.default.anyone.b.c0");
  expect(letter!.json()).toEqual(packOf(edits)[0]![1]);
});

natsTest(
  "a durable pack > a worker that is lost after a result does not count against the later calls",
  async ({ url }) => {
    using directory = temporaryDirectory();
    await initStreams(url, ["--lease=1s"]);
    const edits = new Edits(directory.path, 6);
    await sendPack(url, "Edit", packOf(edits));
    // Each worker after the first one writes the record of the pack, which only one of them can, and
    // then answers one more call before it is lost.
    for (const fault of ["taken:1", "put:2", "put:2", "put:2", "put:2"] as const) {
      await using lost = await RunningWorker.start(url, FLAGS, { fault });
      expect(await lost.killed()).toBe("SIGKILL");
    }
    await using _ = await RunningWorker.start(url, FLAGS);
    expect(edits.check(await attached(url))).toBe(0);
  },
);

natsTest("submit --cancel > the calls of a waiting pack never start", async ({ url }) => {
  using directory = temporaryDirectory();
  await initStreams(url);
  const edits = new Edits(directory.path, 5);
  await sendPack(url, "Edit", packOf(edits));
  const { code } = await toolcall(["submit", `--nats=${url}`, "--batch=b", "--cancel"]);
  expect(code).toBe(0);
  await using _ = await RunningWorker.start(url, FLAGS);
  const results = await attached(url);
  expect(codesById(results)).toEqual(["c0", "c1", "c2", "c3", "c4"].map((id) => [id, "cancelled"]));
  for (const { id } of results) expect(edits.begun(id)).toBe(0);
  expect((await countsOf(url, "TOOLCALL_CALLS_0")).kept).toBe(0);
});

for (const [point, begun] of [["taken", 0], ["run", 0], ["put", 0], ["claimed", 1]] as const) {
  natsTest(`submit --cancel > a stopped worker's call ends once: ${point}`, async ({ url }) => {
    using directory = temporaryDirectory();
    await initStreams(url, ["--lease=60s"]);
    const edits = new Edits(directory.path, 1);
    await sendPack(url, "Edit", packOf(edits));
    const fault = `${point}:1:SIGSTOP` as const;
    await using sleeper = await RunningWorker.start(url, FLAGS, { fault });
    await until(() => isStopped(sleeper.child.pid));
    const { code } = await toolcall(["submit", `--nats=${url}`, "--batch=b", "--cancel"]);
    expect(code).toBe(0);
    sleeper.wake();
    const results = await attached(url);
    // A call was begun, or it was cancelled before, and never both.
    expect(results.length).toBe(1);
    if (begun === 0) {
      expect([codesById(results), edits.begun("c0")]).toEqual([[["c0", "cancelled"]], 0]);
    } else expect(edits.begun("c0")).toBe(codeOf(results[0]!) === "ok" ? 1 : 0);
    expect(await sleeper.end("SIGTERM")).toBe(0);
    expect((await attached(url)).map(codeOf)).toEqual(results.map(codeOf));
  });
}

for (const point of ["taken", "run", "put"] as const) {
  natsTest(
    `a durable pack > a worker that wakes up late changes no result: ${point}`,
    async ({ url }) => {
      using directory = temporaryDirectory();
      await initStreams(url, ["--lease=1s"]);
      const file = `${directory.path}/a.txt`;
      Deno.writeTextFileSync(file, "early\n");
      const ids = ["c0", "c1", "c2"];
      const fault = `${point}:1:SIGSTOP` as const;
      await using sleeper = await RunningWorker.start(url, FLAGS, { fault });
      // The worker knows how to answer a read at once only after its first one.
      expect((await toolcall([`--nats=${url}`, "Read", `file_path=${file}`])).code).toBe(0);
      await sendPack(url, "Read", ids.map((id) => [id, { file_path: file }]));
      await until(() => isStopped(sleeper.child.pid));
      Deno.writeTextFileSync(file, "late\n");
      await using _ = await RunningWorker.start(url, FLAGS);
      const before = await attached(url);
      expect(codesById(before)).toEqual(ids.map((id) => [id, "ok"]));
      const expected = point === "put" ? "early" : "late";
      for (const { content } of before) expect(content[0]!.text).toContain(expected);
      sleeper.wake();
      expect(await sleeper.end("SIGTERM")).toBe(0);
      expect(await attached(url)).toEqual(before);
    },
  );
}

natsTest("a durable pack > an unreadable pack is a dead letter", async ({ url }) => {
  await initStreams(url);
  await using _ = await RunningWorker.start(url, FLAGS);
  const one = ["c", { file_path: "/etc/hostname" }] as const;
  const payloads = [
    "",
    "{}",
    '[["a.b",{}]]',
    '[["*",{}]]',
    '[["~c",{}]]',
    "[[1,{}]]",
    '[["c",[]]]',
    JSON.stringify(Array(65).fill(one)),
  ];
  for (const payload of payloads) await sendPack(url, "Read", payload);
  await sendPack(url, "Read", [one]);
  expect(codesById(await attached(url))).toEqual([["c", "ok"]]);
  expect((await countsOf(url, "TOOLCALL_DEAD")).all).toBe(payloads.length);
  expect((await countsOf(url, "TOOLCALL_CALLS_0")).kept).toBe(0);
});
