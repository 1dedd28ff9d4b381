/** Fault tests with servers that are killed, cut off, and out of disk space. */
// tier: machine
import { connect, headers } from "@nats-io/transport-node";
import { expect } from "@std/expect";
import { attempts } from "../../../support/attempts.ts";
import { temporaryDirectory } from "../../../support/executable.ts";
import { NamespaceNetwork, noNamespaces } from "../../../support/namespace_network.ts";
import { clusterTest, inFlight, type NatsCluster } from "../../../support/nats_cluster.ts";
import {
  existsFile,
  initStreams,
  missingServer,
  NatsServer,
  natsTest,
  RunningWorker,
  tellSkipped,
  until,
} from "../../../support/nats_server.ts";
import { killWhenStuck, pause } from "../../../support/wait.ts";
import { bashCall } from "../submit/submitted.ts";
import { appends, countLines, Edits, RunningBatch, submitDurably } from "./durable_batches.ts";

/** The flags of the workers. */
const WORKER = ["-A", "--durable", "--jobs=2"];

clusterTest(
  "submit --durable > nothing is lost when each of three servers is killed",
  async (cluster) => {
    using directory = temporaryDirectory();
    const edits = new Edits(directory.path, attempts(20_000));
    const kills = Math.max(3, attempts(10));
    await using _one = await RunningWorker.start(cluster.url, WORKER);
    await using _two = await RunningWorker.start(cluster.url, WORKER);
    await using batch = new RunningBatch(cluster.url);
    const sent = batch.send(edits.lines);
    for (let kill = 0; kill < kills; kill++) {
      await batch.until(Math.floor(edits.count * kill / (kills + 1)) + 1);
      await cluster.untilCurrent();
      // The first to be killed leads the queue. Later, every server has its turn.
      const node = kill === 0 ? await cluster.leader() : kill % 3;
      await until(async () => await cluster.inFlight() > 0);
      expect(batch.results.length).toBeLessThan(edits.count);
      await cluster.servers[node]!.kill();
      // The other two continue without it.
      await batch.until(Math.min(batch.results.length + 20, edits.count));
      await cluster.servers[node]!.begin();
    }
    await sent;
    await batch.end();
    edits.check(batch.results);
  },
);

/** Submits edits while the server that leads the queue is cut off, again and again. */
async function cutOff(cluster: NatsCluster): Promise<void> {
  using directory = temporaryDirectory();
  const edits = new Edits(directory.path, attempts(20_000));
  const node = await cluster.leader();
  // One worker is at the server that is cut off, and has calls in hand.
  await using _one = await RunningWorker.start(cluster.servers[node]!.url, WORKER);
  await using _two = await RunningWorker.start(cluster.servers[(node + 1) % 3]!.url, WORKER);
  await using batch = new RunningBatch(cluster.servers[(node + 2) % 3]!.url);
  const sent = batch.send(edits.lines);
  for (let round = 1; round <= attempts(10); round++) {
    await batch.until(Math.floor(edits.count * round / (attempts(10) + 2)));
    await until(async () => await cluster.inFlight() > 0);
    expect(batch.results.length).toBeLessThan(edits.count);
    cluster.network.cut(node);
    // The other two choose a leader and continue.
    await batch.until(Math.min(batch.results.length + 100, edits.count));
    cluster.network.heal();
    await cluster.untilCurrent();
  }
  await sent;
  await batch.end();
  edits.check(batch.results);
}

clusterTest("submit --durable > nothing is lost when a server's connections end", cutOff);

clusterTest("submit --durable > nothing is lost when a server's packets are lost", cutOff, {
  network: () => new NamespaceNetwork(),
  missing: missingServer ?? noNamespaces,
});

natsTest("submit --durable > nothing is lost when the server is killed", async (server) => {
  using directory = temporaryDirectory();
  await initStreams(server.url, ["--lease=1s"]);
  const edits = new Edits(directory.path, attempts(20_000));
  const kills = Math.max(3, attempts(10));
  await using _one = await RunningWorker.start(server.url, WORKER);
  await using _two = await RunningWorker.start(server.url, WORKER);
  await using batch = new RunningBatch(server.url);
  const sent = batch.send(edits.lines);
  for (let kill = 1; kill <= kills; kill++) {
    await batch.until(Math.floor(edits.count * kill / (kills + 1)));
    await until(async () => await inFlight([server.url]) > 0);
    expect(batch.results.length).toBeLessThan(edits.count);
    await server.kill();
    await server.begin();
  }
  await sent;
  await batch.end();
  edits.check(batch.results);
});

natsTest(
  "submit --durable > a call that the server has forgotten does not run again",
  async (server) => {
    using directory = temporaryDirectory();
    const file = `${directory.path}/lines`;
    await initStreams(server.url);
    await using _ = await RunningWorker.start(server.url, WORKER);
    const lines = appends(file, attempts(100));
    const submitOnce = () => submitDurably(server.url, lines, ["--batch=b"]);
    expect((await submitOnce()).code).toBe(0);
    // The queue keeps no call that is over, so the server does not recognize its id after a restart.
    await server.kill();
    await server.begin();
    const connection = await connect({ servers: server.url });
    try {
      for (let at = 0; at < lines.length; at++) {
        const again = headers();
        again.set("Nats-Msg-Id", `anyone.b.c${at}`);
        const body = JSON.stringify({ command: `echo ${at} >> ${file}` });
        const subject = `toolcall.job.0.default.anyone.b.c${at}.Bash`;
        const reply = await connection.request(subject, body, { headers: again, timeout: 120_000 });
        expect(reply.json()).toMatchObject({ stream: "TOOLCALL_CALLS_0" });
      }
      const info = "$JS.API.CONSUMER.INFO.TOOLCALL_CALLS_0.workers-default";
      await until(async () => {
        const { num_pending, num_ack_pending } =
          (await connection.request(info, "", { timeout: 120_000 })).json<
            { num_pending: number; num_ack_pending: number }
          >();
        return num_pending + num_ack_pending === 0;
      });
    } finally {
      await connection.close();
    }
    const { code, results } = await submitOnce();
    expect({ code, count: results.length }).toEqual({ code: 0, count: lines.length });
    expect([...countLines(file).values()]).toEqual(lines.map(() => 1));
  },
);

/** The reason why a full disk cannot be made, or undefined. */
const noDisk = missingServer ??
  (Deno.uid() === 0 && mounts() ? undefined : "only root can mount a small disk");

function mounts(): boolean {
  const directory = temporaryDirectory();
  const isMounted = mountDisk(directory.path);
  if (isMounted) new Deno.Command("umount", { args: [directory.path] }).outputSync();
  directory[Symbol.dispose]();
  return isMounted;
}

function mountDisk(path: string): boolean {
  const args = ["-t", "tmpfs", "-o", "size=64m", "tmpfs", path];
  return new Deno.Command("mount", { args, stderr: "null" }).outputSync().success;
}

const DISK_TEST = "submit --durable > nothing is lost when the server's disk is full";
if (noDisk !== undefined) tellSkipped(DISK_TEST, noDisk);

Deno.test({
  name: DISK_TEST,
  ignore: noDisk !== undefined,
  async fn() {
    using directory = temporaryDirectory();
    await using server = await NatsServer.start();
    await server.kill();
    const disk = `${server.directory}/js`;
    Deno.mkdirSync(disk, { recursive: true });
    expect(mountDisk(disk)).toBe(true);
    await using stack = new AsyncDisposableStack();
    stack.defer(async () => {
      await server.kill();
      new Deno.Command("umount", { args: [disk] }).outputSync();
    });
    await server.begin();
    await initStreams(server.url, ["--lease=1s"]);
    const edits = new Edits(directory.path, attempts(20_000));
    await using _ = await RunningWorker.start(server.url, WORKER);
    await using batch = new RunningBatch(server.url);
    const sent = batch.send(edits.lines);
    await batch.until(edits.count / 4);
    fill(`${disk}/filler`);
    // The server can keep nothing more, so no more results come.
    for (let before = -1; before !== batch.results.length;) {
      before = batch.results.length;
      await pause(3_000, "Nothing shows that no result will come any more");
    }
    expect(batch.results.length).toBeLessThan(edits.count);
    Deno.removeSync(`${disk}/filler`);
    await server.kill();
    await server.begin();
    await sent;
    await batch.end();
    edits.check(batch.results);
  },
});

/** Writes until the disk is full. */
function fill(path: string): void {
  using file = Deno.openSync(path, { write: true, create: true });
  try {
    for (;;) file.writeSync(new Uint8Array(4_096));
  } catch { /* It is full. */ }
}

natsTest("toolcall worker > SIGTERM ends a worker whose server is gone", async (server) => {
  using directory = temporaryDirectory();
  await initStreams(server.url);
  const mark = `${directory.path}/mark`;
  const flags = ["-A", "--jobs=2", "--drain=500ms"];
  await using busy = await RunningWorker.start(server.url, [...flags, "--durable"]);
  await using core = await RunningWorker.start(server.url, flags);
  await using batch = new RunningBatch(server.url);
  await batch.send(appends(mark, 1).concat(bashCall(`touch ${mark}2; sleep 600`, { id: "long" })));
  await until(() => existsFile(`${mark}2`));
  await batch.until(1);
  await server.kill();
  for (const worker of [busy, core]) {
    using _ = killWhenStuck(worker.child);
    worker.child.kill("SIGTERM");
    expect(await worker.killed()).toBe(null);
  }
});
