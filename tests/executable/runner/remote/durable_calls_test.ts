/** Durable calls with a real server: one result for each call, and no change starts twice. */
// tier: machine
import { jetstream } from "@nats-io/jetstream";
import { connect, headers } from "@nats-io/transport-node";
import { expect } from "@std/expect";
import { executable, temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { FAULT_POINTS } from "../../../support/fault_proxy.ts";
import {
  existsFile,
  initStreams,
  missingServer,
  NatsServer,
  natsTest,
  RunningWorker,
  until,
  within,
} from "../../../support/nats_server.ts";
import { pause } from "../../../support/wait.ts";
import { bashCall, lineOf, readCall, resultsIn } from "../submit/submitted.ts";
import { appends, codeOf, countLines, submitDurably } from "./durable_batches.ts";

natsTest(
  "submit --durable > a batch ends with 8 without streams, and without a worker",
  async ({ url }) => {
    const bare = await submitDurably(url, [readCall("/etc/hostname")]);
    expect(bare.code).toBe(8);
    expect(bare.stderr).toContain("toolcall worker init --nats=URL --pool=default");
    await initStreams(url);
    const nobody = await submitDurably(url, [readCall("/etc/hostname")]);
    expect(nobody.code).toBe(8);
    expect(nobody.stderr).toContain('No worker of the pool "default" takes durable calls');
  },
);

natsTest("submit --durable > a repeated batch runs no call again", async ({ url }) => {
  using directory = temporaryDirectory();
  const file = `${directory.path}/lines`;
  await initStreams(url);
  await using _ = await RunningWorker.start(url, ["-A", "--durable"]);
  const lines = appends(file, 20);
  for (let round = 0; round < 2; round++) {
    const { code, results } = await submitDurably(url, lines, ["--batch=one"]);
    expect({ round, code, count: results.length }).toEqual({ round, code: 0, count: 20 });
  }
  expect([...countLines(file).values()]).toEqual(Array(20).fill(1));
  const attached = await toolcall(["submit", `--nats=${url}`, "--batch=one", "--attach"]);
  expect(attached.code).toBe(0);
  const ids = resultsIn(attached.stdout).map(({ id }) => id).sort();
  expect(ids).toEqual(lines.map((_, at) => `c${at}`).sort());
});

natsTest("submit --durable > a second call with an id is a malformed call", async ({ url }) => {
  await initStreams(url);
  await using _ = await RunningWorker.start(url, ["-A", "--durable"]);
  const lines = ["a", "a", "1", 1].map((id) => readCall("/etc/hostname", { id }));
  const { code, results } = await submitDurably(url, lines);
  expect(code).toBe(1);
  expect(results.map(codeOf).sort()).toEqual(["malformed_call", "ok", "ok", "ok"]);
  expect(results.filter(({ id }) => id === "1" || id === 1).length).toBe(2);
});

natsTest(
  "submit --cancel > a waiting call never starts, and a running one stops",
  async ({ url }) => {
    using directory = temporaryDirectory();
    const file = `${directory.path}/lines`;
    await initStreams(url);
    await using _ = await RunningWorker.start(url, ["-A", "--durable", "--jobs=1"]);
    const first = bashCall(`echo first >> ${file}; sleep 600`, { id: "first" });
    const child = new Deno.Command(executable, {
      args: ["submit", `--nats=${url}`, "--durable", "--batch=two"],
      ...{ stdin: "piped", stdout: "piped", stderr: "null" },
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(
      new TextEncoder().encode([first, ...appends(file, 40)].map(lineOf).join("")),
    );
    await writer.close();
    await until(() => existsFile(file));
    const cancel = await toolcall(["submit", `--nats=${url}`, "--batch=two", "--cancel"]);
    expect(cancel.code).toBe(0);
    const { stdout } = await within(child.output());
    const results = resultsIn(new TextDecoder().decode(stdout));
    expect(results.length).toBe(41);
    // A call was begun, or it was cancelled, and never both.
    const counts = countLines(file);
    for (const result of results) {
      const { id } = result;
      const begun = counts.get(id === "first" ? "first" : String(id).slice(1)) ?? 0;
      if (id === "first") {
        expect({ begun, code: codeOf(result) }).toEqual({
          begun: 1,
          code: "cancelled",
        });
      } else if (codeOf(result) === "ok") expect(begun).toBe(1);
      else expect({ code: codeOf(result) }).toEqual({ code: "cancelled" });
    }
  },
);

for (const point of FAULT_POINTS) {
  natsTest(
    `submit --durable > no change starts twice when a worker dies: ${point}`,
    async ({ url }) => {
      using directory = temporaryDirectory();
      const file = `${directory.path}/lines`;
      await initStreams(url, ["--lease=1s"]);
      const flags = ["-A", "--durable", "--jobs=2"];
      await using first = await RunningWorker.start(url, flags, { fault: `${point}:3` });
      const running = submitDurably(url, appends(file, 12));
      // The first worker is killed with calls in hand. The second one gets all of them.
      expect(await first.killed()).toBe("SIGKILL");
      await using _ = await RunningWorker.start(url, flags);
      const { results } = await running;
      expect(results.length).toBe(12);
      const counts = countLines(file);
      const interrupted = results.filter((result) => codeOf(result) === "interrupted");
      for (const result of results) {
        const begun = counts.get(String(result.id).slice(1)) ?? 0;
        expect(begun).toBeLessThanOrEqual(1);
        if (codeOf(result) === "ok") expect(begun).toBe(1);
        else expect(codeOf(result)).toBe("interrupted");
      }
      // Each of the two jobs may have claimed a call while the result of the one before is on its way.
      // No other call has an unknown effect.
      expect(interrupted.length).toBeLessThanOrEqual(2 + 2);
      if (point === "claimed" || point === "run") expect(interrupted.length).toBeGreaterThan(0);
    },
  );
}

natsTest(
  "submit --durable > large arguments and results go through the object store",
  async ({ url }) => {
    using directory = temporaryDirectory();
    await initStreams(url);
    await using _ = await RunningWorker.start(url, ["-A", "--durable"]);
    const content = "0123456789abcdef".repeat(200_000);
    const path = `${directory.path}/big.txt`;
    const write = { id: "w", name: "Write", arguments: { file_path: path, content } };
    const { code } = await submitDurably(url, [write]);
    expect(code).toBe(0);
    expect(Deno.statSync(path).size).toBe(content.length);
  },
);

/** Users of this server cannot make a consumer of the results, so no result is sent to them. */
const SENDS_NO_RESULT = `no_auth_user: all
authorization { users: [{ user: all, password: all, permissions: { publish: { deny: [
  "$JS.API.CONSUMER.CREATE.TOOLCALL_RESULTS_0", "$JS.API.CONSUMER.CREATE.TOOLCALL_RESULTS_0.>"
  "$JS.API.CONSUMER.DURABLE.CREATE.TOOLCALL_RESULTS_0.>"
] } } }] }`;

Deno.test({
  name: "submit --durable > a result that the server does not send is read from the ledger",
  ignore: missingServer !== undefined,
  async fn() {
    await using server = await NatsServer.start(SENDS_NO_RESULT);
    const { url } = server;
    await initStreams(url);
    await using _ = await RunningWorker.start(url, ["-A", "--durable"]);
    const calls = [
      bashCall("echo one"),
      ...Array.from({ length: 20 }, () => readCall("/etc/hostname")),
    ];
    const { code, results } = await submitDurably(url, calls);
    expect({ code, count: results.length }).toEqual({ code: 0, count: calls.length });
  },
});

natsTest("submit --attach > a finished call in the queue is not waited for", async ({ url }) => {
  await initStreams(url);
  const worker = await RunningWorker.start(url, ["-A", "--durable"]);
  const call = { ...bashCall("echo one"), id: "a" };
  expect((await submitDurably(url, [call], ["--batch=one"])).code).toBe(0);
  await worker.end();
  // A cluster that has lost a server can keep messages that were acknowledged.
  const connection = await connect({ servers: url });
  await jetstream(connection).publish("toolcall.job.0.default.anyone.one.a.Bash", "{}");
  await connection.close();
  const attached = await toolcall(["submit", `--nats=${url}`, "--batch=one", "--attach"]);
  expect([attached.code, resultsIn(attached.stdout).map(({ id }) => id)]).toEqual([0, ["a"]]);
});

natsTest("submit --durable > the time in the queue counts for a deadline", async ({ url }) => {
  await initStreams(url);
  using directory = temporaryDirectory();
  const connection = await connect({ servers: url });
  try {
    for (const [id, deadline] of [["late", "100"], ["soon", "600000"]] as const) {
      const own = headers();
      own.set("Toolcall-Deadline", deadline);
      const subject = `toolcall.job.0.default.anyone.b.${id}.Bash`;
      const args = JSON.stringify({ command: `touch ${directory.path}/${id}` });
      await jetstream(connection).publish(subject, args, { headers: own });
    }
  } finally {
    await connection.close();
  }
  await pause(200, "The deadline of 100 ms passes while the call is in the queue");
  await using _ = await RunningWorker.start(url, ["-A", "--durable"]);
  const { stdout } = await toolcall(["submit", `--nats=${url}`, "--batch=b", "--attach"]);
  const codes = Object.fromEntries(resultsIn(stdout).map((each) => [each.id, codeOf(each)]));
  expect(codes).toEqual({ late: "timeout", soon: "ok" });
  expect(existsFile(`${directory.path}/late`)).toBe(false);
});
