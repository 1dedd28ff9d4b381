/** Short calls of one tool travel in one message. Each still gets its own result. */
import { connect } from "@nats-io/transport-node";
import { expect } from "@std/expect";
import { temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { initStreams, natsTest, RunningWorker, within } from "../../../support/nats_server.ts";
import { lineOf, readCall, resultsIn } from "../submit/submitted.ts";

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
  const line = lineOf(readCall(path));
  const { executable } = await import("../../../support/executable.ts");
  const child = new Deno.Command(executable, {
    args: ["submit", `--nats=${url}`],
    ...{ stdin: "piped", stdout: "piped", stderr: "null" },
  }).spawn();
  const writer = child.stdin.getWriter();
  const output = within(child.output());
  await writer.write(new TextEncoder().encode(line.repeat(2_000)));
  expect(await worker.end("SIGTERM")).toBe(0);
  await writer.write(new TextEncoder().encode(line.repeat(500)));
  await writer.close();
  const { code, stdout } = await output;
  const results = resultsIn(new TextDecoder().decode(stdout));
  expect({ code, count: results.length }).toEqual({ code: 1, count: 2_500 });
  const codes = results.map(({ _meta }) => _meta?.["toolcall/error"]?.code ?? "ok");
  expect([...new Set(codes)].sort()).toEqual(["ok", "unavailable"]);
  expect(codes.filter((each) => each === "unavailable").length).toBeGreaterThanOrEqual(500);
});
