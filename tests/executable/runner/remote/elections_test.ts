/** Commands right after the leader of three servers was killed: each of them waits for the election. */
// tier: machine
import { expect } from "@std/expect";
import { temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { clusterTest } from "../../../support/nats_cluster.ts";
import { RunningWorker, until } from "../../../support/nats_server.ts";
import { bashCall, lineOf } from "../submit/submitted.ts";

/** The flags of the workers. */
const WORKER = ["-A", "--durable", "--jobs=2"];

clusterTest("NATS > each command waits while three servers choose a leader", async (cluster) => {
  const nats = `--nats=${cluster.url}`;
  using directory = temporaryDirectory();
  await using _worker = await RunningWorker.start(cluster.url, WORKER);
  const lines = (count: number) =>
    Array.from({ length: count }, (_, at) => lineOf(bashCall("echo", { id: `c${at}` }))).join("");
  const submit = ["submit", nats, "--durable", "--batch=one"];
  expect((await toolcall(submit, { stdin: lines(3) })).code).toBe(0);
  const content = "x".repeat(900_000);
  const large = { id: 1, name: "Write", arguments: { file_path: `${directory.path}/a`, content } };
  const commands: [args: string[], stdin?: string][] = [
    [["submit", nats, "--batch=one", "--attach"]],
    [submit, lines(6)],
    [["tasks", nats]],
    [["call", nats, "Bash", '{"command":"echo","run_in_background":true}']],
    [["worker", "init", nats, "--replicas=3", "--lease=2s"]],
    [["submit", nats, "--durable"], lineOf(large)],
    [["submit", nats, "--batch=one", "--cancel"]],
  ];
  for (const [args, stdin = ""] of commands) {
    await cluster.untilCurrent();
    const node = await cluster.leader();
    await cluster.servers[node]!.kill();
    const { code, stdout, stderr } = await toolcall(args, { stdin });
    expect({ args, code, stdout: code === 0 ? "" : stdout, stderr: code === 0 ? "" : stderr })
      .toEqual({ args, code: 0, stdout: "", stderr: "" });
    await cluster.servers[node]!.begin();
  }
  await cluster.untilCurrent();
  const node = await cluster.leader();
  await cluster.servers[node]!.kill();
  // A new worker waits too, and answers then.
  await using worker = await RunningWorker.start(cluster.url, WORKER);
  await until(() => worker.stderr.includes("offers"));
  await cluster.servers[node]!.begin();
});
