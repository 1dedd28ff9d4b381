/** Short calls of one tool travel in one message. Each still gets its own result. */
// tier: machine
import { connect } from "@nats-io/transport-node";
import { expect } from "@std/expect";
import { temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { initStreams, natsTest, RunningWorker } from "../../../support/nats_server.ts";
import { lineOf, readCall, resultsIn } from "../submit/submitted.ts";
import { codeOf, RunningBatch } from "./durable_batches.ts";

natsTest("submit --nats > packed calls have the results of local calls", async ({ url }) => {
  using directory = temporaryDirectory();
  const { path } = directory;
  await initStreams(url);
  await using _ = await RunningWorker.start(url, [`--allow-read=${path}`]);
  const connection = await connect({ servers: url });
  let packs = 0;
  connection.subscribe("toolcall.call.default.Read", {
    callback: (_, { reply }) => {
      if (reply?.includes(".pack-")) packs++;
    },
  });
  await connection.flush();
  Deno.writeTextFileSync(`${path}/short`, "hällo\n");
  Deno.writeTextFileSync(`${path}/lines`, "a line of the file\n".repeat(5_000));
  Deno.writeTextFileSync(`${path}/long`, `${"x".repeat(100)}\n`.repeat(20_000));
  const lines = Array.from({ length: 2_000 }, (_, at) => {
    const id = `c${at}`;
    if (at % 97 === 50) return readCall(`${path}/long`, { id });
    if (at % 89 === 50) return readCall(`${path}/lines`, { id });
    if (at % 83 === 50) return readCall(`${path}/none`, { id });
    if (at % 79 === 50) return readCall("/etc/hostname", { id });
    return readCall(`${path}/short`, { id });
  });
  const stdin = lines.map(lineOf).join("");
  const remote = await toolcall(["submit", `--nats=${url}`, "--jobs=100"], { stdin });
  const local = await toolcall(["submit", `--allow-read=${path}`], { stdin });
  await connection.close();
  const sorted = (stdout: string) =>
    resultsIn(stdout).sort((a, b) => String(a.id).localeCompare(String(b.id)));
  expect(remote.code).toBe(local.code);
  expect(sorted(remote.stdout)).toEqual(sorted(local.stdout));
  expect(packs).toBeGreaterThan(10);
});

natsTest("submit --nats > packed calls fail when the last worker ends", async ({ url }) => {
  using directory = temporaryDirectory();
  const path = `${directory.path}/short`;
  Deno.writeTextFileSync(path, "hello");
  const worker = await RunningWorker.start(url, ["--allow-read=/"]);
  const lines = (count: number) => Array(count).fill(readCall(path));
  await using batch = new RunningBatch(url, []);
  await batch.send(lines(2_000));
  await batch.until(1);
  expect(await worker.end("SIGTERM")).toBe(0);
  await batch.send(lines(500));
  const code = await batch.end();
  const { results } = batch;
  expect({ code, count: results.length }).toEqual({ code: 1, count: 2_500 });
  const codes = results.map(codeOf);
  expect([...new Set(codes)].sort()).toEqual(["ok", "unavailable"]);
  expect(codes.filter((each) => each === "unavailable").length).toBeGreaterThanOrEqual(500);
});
