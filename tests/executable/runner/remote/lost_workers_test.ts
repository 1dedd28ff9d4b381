/** Fault tests with workers that are killed, stopped and restarted. */
// tier: machine
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { expect } from "@std/expect";
import { attempts } from "../../../support/attempts.ts";
import { temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { type Fault, FAULT_POINTS } from "../../../support/fault_proxy.ts";
import {
  existsFile,
  initStreams,
  natsTest,
  remoteCall,
  RunningWorker,
  until,
} from "../../../support/nats_server.ts";
import { isStopped } from "../../../support/processes.ts";
import { pause } from "../../../support/wait.ts";
import { bashCall, readCall, resultsIn } from "../submit/submitted.ts";
import {
  appends,
  codeOf,
  countLines,
  Edits,
  Fleet,
  RunningBatch,
  submitDurably,
} from "./durable_batches.ts";

/** The messages that a worker with `--jobs=2` takes at once. */
const SLOTS = 2 + 14;

/** A number from 1 to `most`. */
const oneTo = (most: number) => 1 + Math.floor(Math.random() * most);

natsTest("submit --durable > reads survive kills of workers", async ({ url }) => {
  using directory = temporaryDirectory();
  const file = `${directory.path}/a.txt`;
  Deno.writeTextFileSync(file, "hello");
  await initStreams(url, ["--lease=5s"]);
  const [count, kills] = [attempts(100_000), attempts(20)];
  await using fleet = await Fleet.start(url, 2);
  await using batch = new RunningBatch(url);
  const lines = Array.from({ length: count }, (_, at) => readCall(file, { id: at }));
  const sent = batch.send(lines);
  for (let kill = 1; kill <= kills; kill++) {
    await batch.until(Math.floor(count * kill / (kills + 1)));
    fleet.kill();
  }
  await sent;
  expect(await batch.end()).toBe(0);
  const { results } = batch;
  expect(new Set(results.map(({ id }) => id)).size).toBe(count);
  expect(results.length).toBe(count);
  expect(fleet.deaths).toBe(kills);
  // A message is answered at most once for each delivery.
  const { deliveries, messages } = await queueOf(url);
  expect(deliveries).toBeGreaterThanOrEqual(messages);
  expect(deliveries).toBeLessThanOrEqual(messages + kills * SLOTS);
});

natsTest("submit --durable > no change starts twice when workers are killed", async ({ url }) => {
  using directory = temporaryDirectory();
  await initStreams(url, ["--lease=5s"]);
  const [count, kills] = [attempts(100_000), Math.max(FAULT_POINTS.length, attempts(20))];
  const edits = new Edits(directory.path, count);
  // Every point has its turn, and the call at which it comes is random.
  const plan = Array.from(
    { length: kills },
    (_, at): Fault => `${FAULT_POINTS[at % FAULT_POINTS.length]!}:${oneTo(count / kills / 2)}`,
  );
  await using fleet = await Fleet.start(url, 2, { nextFault: () => plan.pop() });
  await using batch = new RunningBatch(url);
  await batch.send(edits.lines);
  await batch.end();
  expect(fleet.deaths).toBe(kills);
  // A call is interrupted only if its worker was killed after the claim.
  expect(edits.check(batch.results)).toBeLessThanOrEqual(kills * SLOTS);
});

natsTest("submit --durable > a worker that wakes up late changes no result", async ({ url }) => {
  using directory = temporaryDirectory();
  const stopMs = attempts(60_000);
  await Promise.all([...FAULT_POINTS, "begun" as const].map(async (point) => {
    const [file, pool, batch] = [`${directory.path}/${point}`, `--pool=${point}`, `b-${point}`];
    await initStreams(url, [pool, "--lease=1s"]);
    const flags = ["-A", "--durable", "--jobs=1", pool];
    const fault = point === "begun" ? undefined : `${point}:1:SIGSTOP` as const;
    await using sleeper = await RunningWorker.start(url, flags, { fault });
    // This call has begun when its worker is stopped, and takes effect after the worker continues.
    const begins = `touch ${file}.begun; until [ -e ${file}.go ]; do sleep 0.1; done`;
    const calls = point === "begun"
      ? [bashCall(`${begins}; echo 0 >> ${file}`, { id: "c0" })]
      : appends(file, 1);
    const running = submitDurably(url, calls, [pool, `--batch=${batch}`]);
    if (point === "begun") {
      await until(() => existsFile(`${file}.begun`));
      sleeper.child.kill("SIGSTOP");
    }
    await until(() => isStopped(sleeper.child.pid));
    const stopped = performance.now();
    await using other = await RunningWorker.start(url, flags);
    const { results } = await running;
    expect(results.length).toBe(1);
    const code = codeOf(results[0]!);
    const isClaimed = ["claimed", "begun", "run"].includes(point);
    const expected = isClaimed ? "interrupted" : "ok";
    expect({ point, code }).toEqual({ point, code: expected });
    const restMs = stopped + stopMs - performance.now();
    await pause(restMs, "The test is about a worker that wakes up late");
    sleeper.wake();
    Deno.writeTextFileSync(`${file}.go`, "");
    // It finishes its calls, and then ends.
    expect(await sleeper.end("SIGTERM")).toBe(0);
    const again = await toolcall(["submit", `--nats=${url}`, pool, `--batch=${batch}`, "--attach"]);
    expect({ point, codes: resultsIn(again.stdout).map(codeOf) })
      .toEqual({ point, codes: [expected] });
    const begun = countLines(file).get("0") ?? 0;
    // The sleeper runs the call unless it asks for its claim again, and nobody else runs it.
    if (point === "claimed") expect(begun).toBeLessThanOrEqual(1);
    else expect({ point, begun }).toEqual({ point, begun: 1 });
    await other.end();
  }));
});

for (const flags of [["--durable"], []]) {
  const name = ["submit", ...flags].join(" ");
  natsTest(`${name} > a rolling restart of four workers fails no call`, async ({ url }) => {
    using directory = temporaryDirectory();
    const file = `${directory.path}/a.txt`;
    Deno.writeTextFileSync(file, "hello");
    await initStreams(url);
    const start = () => RunningWorker.start(url, ["-A", "--durable", "--jobs=2"]);
    const workers: RunningWorker[] = [];
    await using stack = new AsyncDisposableStack();
    stack.defer(async () => {
      for (const worker of workers) await worker.end("SIGKILL");
    });
    for (let at = 0; at < 4; at++) workers.push(await start());
    await using batch = new RunningBatch(url, [...flags, "--jobs=64"]);
    let sent = 0;
    let isOver = false;
    const load = (async () => {
      while (!isOver) {
        const calls = Array.from(
          { length: 50 },
          (_, at) =>
            at % 10 === 0
              ? bashCall("echo x", { id: sent + at })
              : readCall(file, { id: sent + at }),
        );
        await batch.send(calls);
        sent += calls.length;
        await batch.until(sent - 200);
      }
    })();
    for (let round = 0; round < attempts(10); round++) {
      for (let at = 0; at < workers.length; at++) {
        await batch.until(batch.results.length + 20);
        const old = workers[at]!;
        workers[at] = await start();
        expect(await old.end("SIGTERM")).toBe(0);
      }
    }
    isOver = true;
    await load;
    const code = await batch.end();
    const failed = batch.results.filter((result) => codeOf(result) !== "ok");
    expect({ code, failed, count: batch.results.length }).toEqual({
      code: 0,
      failed: [],
      count: sent,
    });
  });
}

natsTest("submit --durable > a call is given up after three lost workers", async ({ url }) => {
  await initStreams(url, ["--lease=1s"]);
  const flags = ["-A", "--durable", "--jobs=1"];
  const fault = "taken:1";
  await using first = await RunningWorker.start(url, flags, { fault });
  const running = submitDurably(url, [readCall("/etc/hostname", { id: "poison" })], ["--batch=b"]);
  expect(await first.killed()).toBe("SIGKILL");
  for (let lost = 1; lost < 3; lost++) {
    await using next = await RunningWorker.start(url, flags, { fault });
    expect(await next.killed()).toBe("SIGKILL");
  }
  await using _ = await RunningWorker.start(url, flags);
  const { code, results: [result] } = await running;
  expect({ code, error: codeOf(result!) }).toEqual({ code: 1, error: "unavailable" });
  expect(result!.content[0]!.text).toContain("was given up: 3 workers were lost with it");
  // The operator finds the call in the stream of the dead letters, and the queue is empty.
  const { waiting, dead } = await queueOf(url);
  expect({ waiting, dead }).toEqual({
    waiting: 0,
    dead: {
      subject: "toolcall.dead.default.anyone.b.poison",
      text: '{"file_path":"/etc/hostname"}',
    },
  });
});

natsTest("toolcall worker > running durable calls finish after SIGTERM", async ({ url }) => {
  using directory = temporaryDirectory();
  const file = `${directory.path}/lines`;
  await initStreams(url);
  const flags = ["-A", "--durable", "--jobs=1"];
  await using worker = await RunningWorker.start(url, flags);
  await using batch = new RunningBatch(url, ["--durable"]);
  const wait = `until [ -e ${file}-go ]; do sleep 0.02; done`;
  await batch.send([bashCall(`echo long >> ${file}; ${wait}; echo ended`, { id: "long" })]);
  await until(() => countLines(file).size > 0);
  const ended = worker.end("SIGTERM");
  // The worker has the signal when it takes no other call.
  await until(async () => (await remoteCall(url, ["Bash", { command: "true" }])).exit === 8);
  Deno.writeTextFileSync(`${file}-go`, "");
  expect(await ended).toBe(0);
  await batch.until(1);
  expect(batch.results[0]!.content[0]!.text).toBe("ended\n");
  // A call that comes afterwards waits for the next worker.
  await batch.send([bashCall(`echo next >> ${file}`, { id: "next" })]);
  await using _ = await RunningWorker.start(url, flags);
  expect(await batch.end()).toBe(0);
  expect(Object.fromEntries(countLines(file))).toEqual({ long: 1, next: 1 });
});

natsTest("toolcall worker > a durable call is cancelled after --drain", async ({ url }) => {
  using directory = temporaryDirectory();
  const file = `${directory.path}/lines`;
  await initStreams(url);
  await using worker = await RunningWorker.start(url, ["-A", "--durable", "--drain=200ms"]);
  const running = submitDurably(url, [bashCall(`echo x >> ${file}; sleep 600`, { id: "long" })]);
  await until(() => countLines(file).size > 0);
  expect(await worker.end("SIGTERM")).toBe(0);
  const { results } = await running;
  expect(results.map(codeOf)).toEqual(["cancelled"]);
});

/** The queue: how many messages were sent, delivered and wait, and the last dead letter. */
async function queueOf(url: string) {
  const connection = await connect({ servers: url });
  try {
    const manager = await jetstreamManager(connection);
    const { delivered, num_pending, num_ack_pending } = await manager.consumers.info(
      "TOOLCALL_CALLS_0",
      "workers-default",
    );
    const { state } = await manager.streams.info("TOOLCALL_DEAD");
    const calls = await manager.streams.info("TOOLCALL_CALLS_0");
    const letter = state.messages === 0
      ? null
      : await manager.streams.getMessage("TOOLCALL_DEAD", { seq: state.last_seq });
    return {
      deliveries: delivered.consumer_seq,
      messages: calls.state.last_seq,
      waiting: num_pending + num_ack_pending,
      dead: letter && { subject: letter.subject, text: letter.string() },
    };
  } finally {
    await connection.close();
  }
}
