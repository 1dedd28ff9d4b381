/** Calls over NATS by request and reply, with a real server and real workers. */
// tier: machine
import { connect } from "@nats-io/transport-node";
import { expect } from "@std/expect";
import { temporaryDirectory, toolcall } from "../../../support/executable.ts";
import {
  existsFile,
  freePort,
  natsTest,
  remoteCall,
  RunningWorker,
  until,
  within,
} from "../../../support/nats_server.ts";
import { pause } from "../../../support/wait.ts";
import { lineOf, readCall, resultsIn } from "../submit/submitted.ts";

natsTest(
  "call --nats > a remote call has the result and the exit code of a local call",
  async ({ url }) => {
    using directory = temporaryDirectory();
    const path = `${directory.path}/a.txt`;
    Deno.writeTextFileSync(path, "hello");
    await using _ = await RunningWorker.start(url, [`--allow-read=${directory.path}`]);
    const cases: [name: string, args: Record<string, unknown>][] = [
      ["Read", { file_path: path }],
      ["Read", { file_path: `${directory.path}/none` }],
      ["Read", { file_path: "/etc/hostname" }],
      ["Read", {}],
      ["fs.list", { path: "." }],
    ];
    for (const [name, args] of cases) {
      const local = await toolcall([
        "call",
        `--allow-read=${directory.path}`,
        name,
        JSON.stringify(args),
      ]);
      const remote = await toolcall(["call", `--nats=${url}`, name, JSON.stringify(args)]);
      expect({ name, code: remote.code, stdout: remote.stdout })
        .toEqual({ name, code: local.code, stdout: local.stdout });
    }
  },
);

natsTest(
  "call --nats > a call ends with 8 without a worker that offers the tool",
  async ({ url }) => {
    using directory = temporaryDirectory();
    const read = ["Read", { file_path: `${directory.path}/missing` }] as const;
    const nobody = await remoteCall(url, read);
    expect({ exit: nobody.exit, text: nobody.text }).toEqual({
      exit: 8,
      text: 'No worker of the pool "default" offers "Read"; start one with ' +
        '"toolcall worker --nats=URL" and flags that the tool needs',
    });
    await using _ = await RunningWorker.start(url, ["--allow-read=/", "--pool=other"]);
    expect((await remoteCall(url, read)).exit).toBe(8);
    expect((await remoteCall(url, read, ["--pool=other"])).exit).toBe(1);
    expect((await remoteCall(url, ["Bash", { command: "id" }], ["--pool=other"])).exit).toBe(8);
  },
);

natsTest(
  "call --nats > a call ends with 8 without a server, and with 2 for a password in the URL",
  async () => {
    const url = `nats://127.0.0.1:${freePort()}`;
    const { exit, text } = await remoteCall(url, ["Read", { file_path: "/a" }]);
    expect(exit).toBe(8);
    expect(text).toContain(`Cannot connect to NATS at ${url}`);
    const run = await toolcall(["call", "--nats=nats://me:secret@127.0.0.1", "Read", "{}"]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain("--nats-creds=FILE");
    expect(run.stderr).not.toContain("secret");
  },
);

for (const scheme of ["nats", "tls"]) {
  Deno.test(`call --nats > a server whose first line does not end is refused: ${scheme}`, async () => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const served = (async () => {
      for await (const connection of listener) {
        try {
          for (;;) await connection.write(new Uint8Array(65_536).fill(120));
        } catch { /* The client has hung up. */ }
        connection.close();
      }
    })();
    const url = `${scheme}://127.0.0.1:${listener.addr.port}`;
    const { exit, text } = await remoteCall(url, ["Read", { file_path: "/a" }]);
    listener.close();
    await served;
    expect({ exit, text }).toEqual({
      exit: 8,
      text: `Cannot connect to NATS at ${url}: the answer does not come from a NATS server: its ` +
        "first line has more than 256 KiB; check the host and the port",
    });
  });
}

natsTest("submit --nats > each line gets one result from one of two workers", async ({ url }) => {
  using directory = temporaryDirectory();
  const path = `${directory.path}/a.txt`;
  Deno.writeTextFileSync(path, "hello");
  await using _one = await RunningWorker.start(url, ["--allow-read=/"]);
  await using _two = await RunningWorker.start(url, ["--allow-read=/"]);
  const lines = Array.from({ length: 1_000 }, (_, at) => readCall(path, { id: `c${at}` }));
  const run = await toolcall(["submit", `--nats=${url}`], { stdin: lines.map(lineOf).join("") });
  expect(run.code).toBe(0);
  const results = resultsIn(run.stdout);
  expect(new Set(results.map(({ id }) => id)).size).toBe(1_000);
  expect(results.length).toBe(1_000);
});

natsTest(
  "call --nats > a caller can narrow the worker's flags, and never widen them",
  async ({ url }) => {
    using directory = temporaryDirectory();
    const [inner, outer] = [`${directory.path}/inner`, `${directory.path}/outer`];
    for (const each of [inner, outer]) {
      Deno.mkdirSync(each);
      Deno.writeTextFileSync(`${each}/a.txt`, "hello");
    }
    await using _ = await RunningWorker.start(url, [`--allow-read=${inner}`, "--allow-run=bash"]);
    const read = (path: string, ...flags: string[]) =>
      remoteCall(url, ["Read", { file_path: path }], flags);
    expect((await read(`${inner}/a.txt`)).exit).toBe(0);
    expect((await read(`${inner}/a.txt`, `--allow-read=${directory.path}`)).exit).toBe(0);
    expect((await read(`${inner}/a.txt`, `--deny-read=${inner}/a.txt`)).exit).toBe(6);
    expect((await read(`${inner}/a.txt`, "--allow-run=bash")).exit).toBe(6);
    expect((await read(`${outer}/a.txt`, "--allow-read")).exit).toBe(6);
    for (const flag of ["--allow-read=/etc", "--allow-write", "--allow-net", "--allow-run=sh"]) {
      const { exit, text } = await read(`${inner}/a.txt`, flag);
      expect({ flag, exit }).toEqual({ flag, exit: 5 });
      expect(text).toContain("the worker's flags do not grant that");
    }
  },
);

natsTest(
  "call --nats > a tool cannot reach the NATS server",
  async ({ url }) => {
    await using _ = await RunningWorker.start(url, ["-A"]);
    const port = new URL(url).port;
    const command = `exec 3<>/dev/tcp/127.0.0.1/${port} && head -c 4 <&3`;
    const { isError, text } = await remoteCall(url, ["Bash", { command }]);
    expect({ isError, has: text.includes("INFO") }).toEqual({ isError: true, has: false });
  },
);

/** A command that waits until the test makes a file. */
const wait = (mark: string) => `until [ -e ${mark}-go ]; do sleep 0.02; done`;

natsTest("toolcall worker > running calls finish after SIGTERM", async ({ url }) => {
  using directory = temporaryDirectory();
  const mark = `${directory.path}/started`;
  await using worker = await RunningWorker.start(url, ["-A"]);
  const call = remoteCall(url, ["Bash", { command: `touch ${mark}; ${wait(mark)}; echo ended` }]);
  await until(() => existsFile(mark));
  const ended = worker.end("SIGTERM");
  // The worker has the signal when it takes no other call.
  await until(async () => (await remoteCall(url, ["Bash", { command: "true" }])).exit === 8);
  Deno.writeTextFileSync(`${mark}-go`, "");
  expect(await ended).toBe(0);
  const { exit, text } = await call;
  expect({ exit, text }).toEqual({ exit: 0, text: "ended\n" });
});

natsTest("toolcall worker > a call is cancelled when its caller gives up", async ({ url }) => {
  using directory = temporaryDirectory();
  const mark = `${directory.path}/started`;
  await using worker = await RunningWorker.start(url, ["-A", "--jobs=1"]);
  const submit = new Deno.Command((await import("../../../support/executable.ts")).executable, {
    args: ["call", `--nats=${url}`, "Bash", `{"command":"touch ${mark}; sleep 600"}`],
    ...{ stdin: "null", stdout: "piped", stderr: "null" },
  }).spawn();
  await until(() => existsFile(mark));
  submit.kill("SIGTERM");
  const { code, stdout } = await within(submit.output());
  expect(code).toBe(7);
  expect(new TextDecoder().decode(stdout)).toContain('"cancelled"');
  // The only job is free again.
  expect((await remoteCall(url, ["Bash", { command: "echo free" }])).text).toBe("free\n");
  void worker;
});

natsTest("call --nats > a call whose deadline has passed does not start", async ({ url }) => {
  using directory = temporaryDirectory();
  const mark = `${directory.path}/started`;
  await using _ = await RunningWorker.start(url, ["-A", "--jobs=1"]);
  const first = remoteCall(url, ["Bash", { command: `touch ${mark}; ${wait(mark)}` }]);
  await until(() => existsFile(mark));
  const connection = await connect({ servers: url });
  let calls = 0;
  connection.subscribe("toolcall.call.default.Bash", { callback: () => void calls++ });
  await connection.flush();
  const second = ["Bash", { command: `touch ${mark}2` }] as const;
  const late = remoteCall(url, second, ["--deadline=100ms"]);
  await until(() => calls === 1);
  await connection.close();
  await pause(200, "The deadline of 100 ms passes while the worker is busy");
  Deno.writeTextFileSync(`${mark}-go`, "");
  await first;
  const { exit } = await late;
  expect({ exit, started: existsFile(`${mark}2`) }).toEqual({ exit: 7, started: false });
});
