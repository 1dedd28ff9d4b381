/** Workspaces of workers: each batch has its own directory, and reaches no other workspace. */
// tier: machine
import { connect, nkeyAuthenticator } from "@nats-io/transport-node";
import { expect } from "@std/expect";
import { temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { natsTest, remoteCall, RunningWorker, until } from "../../../support/nats_server.ts";
import { resultsIn } from "../submit/submitted.ts";
import { startProtected } from "./protected_server.ts";

/** The flags of a worker whose calls may use everything in their workspaces. */
const flagsOf = (parent: string, more: readonly string[] = []) => [
  ...[`--workspace=${parent}`, `--allow-read=${parent}`, `--allow-write=${parent}`],
  ...["--allow-run=bash,cat,ls,ln,head,sleep,chmod,mkdir", ...more],
];

/** The workspaces that exist below a directory, of all workers. */
function workspacesBelow(parent: string): string[] {
  return [...Deno.readDirSync(parent)].filter(({ isDirectory }) => isDirectory).flatMap(
    ({ name }) => [...Deno.readDirSync(`${parent}/${name}`)].map((each) => each.name),
  );
}

/** Runs a command in a workspace. */
function bash(url: string, workspace: string, command: string) {
  return remoteCall(url, ["Bash", { command }], [`--workspace=${workspace}`]);
}

natsTest("worker --workspace > calls with the same name share a directory", async ({ url }) => {
  using directory = temporaryDirectory();
  const { path } = directory;
  await using _one = await RunningWorker.start(url, flagsOf(path));
  await using _two = await RunningWorker.start(url, flagsOf(path));
  expect(await bash(url, "a", "echo hello >note.txt; pwd")).toMatchObject({ exit: 0 });
  for (let tries = 0; tries < 10; tries++) {
    expect((await bash(url, "a", "cat note.txt")).text).toBe("hello\n");
  }
  const read = await remoteCall(url, ["fs.read", { path: "note.txt" }], ["--workspace=a"]);
  expect({ exit: read.exit, text: read.text.includes("hello") }).toEqual({ exit: 0, text: true });
  expect((await bash(url, "b", "cat note.txt")).exit).toBe(1);
  // Without a name, each call has a directory of its own, which is gone when the call is over.
  expect((await remoteCall(url, ["Bash", { command: "echo x >f; ls" }])).text).toBe("f\n");
  expect((await remoteCall(url, ["Bash", { command: "ls; echo ." }])).text).toBe(".\n");
  await until(() => workspacesBelow(path).length === 2);
});

natsTest("worker --workspace > a call reaches no other workspace", async ({ url }) => {
  using directory = temporaryDirectory();
  const { path } = directory;
  await using _ = await RunningWorker.start(url, flagsOf(path));
  const victim = (await bash(url, "victim", "echo secret >s.txt; pwd")).text.trim();
  expect(victim.startsWith(`${path}/`)).toBe(true);
  const own = (await bash(url, "attacker", "pwd")).text.trim();
  const [name] = victim.split("/").slice(-1);
  const commands = [
    `cat ${victim}/s.txt`,
    `cat ../${name}/s.txt`,
    `ls ..`,
    `ls ${path}`,
    `ln -s ${victim} link; cat link/s.txt`,
    `ln ${victim}/s.txt hard; cat hard`,
    `cd ${victim}; cat s.txt`,
    `cat /proc/self/cwd/../${name}/s.txt`,
  ];
  for (const command of commands) {
    const { text } = await bash(url, "attacker", command);
    expect({ command, leaks: /secret|\.lock/.test(text) || text.includes(`${name}\n`) })
      .toEqual({ command, leaks: false });
  }
  const writes = [`${victim}/x`, `../${name}/x`, `link/x`, `${path}/x`, "../x", "../../x"];
  for (const file_path of writes) {
    const written = await remoteCall(url, ["Write", { file_path, content: "x" }], [
      "--workspace=attacker",
    ]);
    expect({ file_path, exit: written.exit }).not.toEqual({ file_path, exit: 0 });
    await bash(url, "attacker", `echo x >${file_path}`);
  }
  // A caller's own flags never widen it either.
  const flags = ["--workspace=attacker", `--allow-read=${victim}`];
  expect((await remoteCall(url, ["Read", { file_path: `${victim}/s.txt` }], flags)).exit).not
    .toBe(0);
  expect([...Deno.readDirSync(victim)].map((each) => each.name)).toEqual(["s.txt"]);
  expect([...Deno.readDirSync(path)].length).toBe(2);
  expect((await bash(url, "attacker", "pwd")).text.trim()).toBe(own);
});

natsTest("worker --workspace > no name leads out of the directory", async ({ url }) => {
  using directory = temporaryDirectory();
  const { path } = directory;
  await using _ = await RunningWorker.start(url, flagsOf(path));
  for (const name of ["../x", "a/b", ".", "..", "", "a\u{1}", "x".repeat(300), "ä", "a b", "*"]) {
    const run = await toolcall(["call", `--nats=${url}`, `--workspace=${name}`, "Read", "{}"]);
    expect({ name, code: run.code }).toEqual({ name, code: 2 });
  }
  // Another client can send any token.
  const connection = await connect({ servers: url });
  try {
    for (const name of ["%2e%2e", "x".repeat(300), "~", "$(id)", "ä", "-rf"]) {
      await connection.request(`toolcall.open.default.anyone.${name}`, "", { timeout: 120_000 });
      const reply = await connection.request(
        `toolcall.in.default.anyone.${name}.Bash`,
        '{"command":"pwd"}',
        { timeout: 120_000 },
      );
      const { text } = reply.json<{ content: { text: string }[] }>().content[0]!;
      expect({ name, isUuid: /^[0-9a-f-]{36}\n$/.test(text.split("/").at(-1)!) })
        .toEqual({ name, isUuid: true });
      expect(text.startsWith(`${path}/`)).toBe(true);
    }
    const refused = await connection.request("toolcall.in.default.anyone.~.AskUserQuestion", "{}", {
      timeout: 120_000,
    });
    expect(refused.headers?.get("Toolcall-Code")).toBe("unavailable");
  } finally {
    await connection.close();
  }
});

natsTest("submit --workspace > the directory is removed with the batch", async ({ url }) => {
  using directory = temporaryDirectory();
  const { path } = directory;
  await using _one = await RunningWorker.start(url, flagsOf(path));
  await using _two = await RunningWorker.start(url, flagsOf(path));
  const line = (id: number) =>
    `${JSON.stringify({ id, name: "Bash", arguments: { command: `echo ${id} >${id}; pwd` } })}\n`;
  const run = await toolcall(["submit", `--nats=${url}`, "--workspace=batch"], {
    stdin: Array.from({ length: 20 }, (_, id) => line(id)).join(""),
  });
  expect(run.code).toBe(0);
  const texts = resultsIn(run.stdout).map(({ content }) => content[0]!.text);
  expect(texts.length).toBe(20);
  expect(new Set(texts).size).toBe(1);
  await until(() => workspacesBelow(path).length === 0);
  // A workspace that was there before stays.
  await bash(url, "kept", "echo 1 >f");
  await toolcall(["submit", `--nats=${url}`, "--workspace=kept"], { stdin: line(1) });
  expect((await bash(url, "kept", "ls")).text).toBe("1\nf\n");
});

natsTest(
  "worker --workspace > a workspace is removed after a time without calls",
  async ({ url }) => {
    using directory = temporaryDirectory();
    const { path } = directory;
    await using _ = await RunningWorker.start(url, flagsOf(path, ["--workspace-idle=1s"]));
    // time: the call runs longer than a workspace stays without calls
    expect((await bash(url, "a", "echo 1 >f; mkdir d; chmod 0 d; sleep 2; ls")).text).toBe(
      "d\nf\n",
    );
    await until(() => workspacesBelow(path).length === 0);
    expect((await bash(url, "a", "ls; echo .")).text).toBe(".\n");
  },
);

natsTest(
  "worker --workspace > a workspace is removed with its worker, or by the next one after a kill",
  async ({ url }) => {
    using directory = temporaryDirectory();
    const { path } = directory;
    const first = await RunningWorker.start(url, flagsOf(path));
    await bash(url, "a", "echo 1 >f");
    await first.end("SIGKILL");
    expect(workspacesBelow(path).length).toBe(1);
    const second = await RunningWorker.start(url, flagsOf(path));
    expect(workspacesBelow(path).length).toBe(0);
    await bash(url, "a", "echo 1 >f");
    expect(workspacesBelow(path).length).toBe(1);
    expect(await second.end()).toBe(0);
    expect([...Deno.readDirSync(path)]).toEqual([]);
  },
);

natsTest("worker --workspace-limit > a call that writes too much is ended", async ({ url }) => {
  using directory = temporaryDirectory();
  const { path } = directory;
  const limit = "--workspace-limit=size=1M,files=20";
  await using _ = await RunningWorker.start(url, flagsOf(path, [limit]));
  const large = await bash(url, "a", "head -c 3000000 /dev/zero >f; sleep 600");
  expect(large).toMatchObject({
    exit: 8,
    text: "The workspace has more than 1.0 MiB, the limit of its worker; use another workspace",
  });
  expect((await bash(url, "a", "ls")).exit).toBe(8);
  const many = await bash(url, "b", "for ((i = 0; i < 100; i++)); do : >$i; done; sleep 600");
  expect(many.text).toContain("has more than 20 files");
  expect((await bash(url, "c", "ls")).exit).toBe(0);
});

natsTest("worker --workspace > unsafe flags are refused", async ({ url }) => {
  using directory = temporaryDirectory();
  const { path } = directory;
  Deno.mkdirSync(`${path}/open`);
  Deno.chmodSync(`${path}/open`, 0o755);
  Deno.mkdirSync(`${path}/own`, { mode: 0o700 });
  const own = `--workspace=${path}/own`;
  const cases: [flags: string[], text: string][] = [
    [[own, "-A"], "--allow-all would let a call use the workspaces of others"],
    [[own, "--allow-read"], "--allow-read would let"],
    [[own, `--allow-read=${path}`], `--allow-read=${path} would let`],
    [[own, `--allow-write=${path}/own/x`], `--allow-write=${path}/own/x would let`],
    [[own, "--durable"], "Use --durable or --workspace"],
    [[`--workspace=${path}/none`], 'make one with "mkdir -m 700 DIR"'],
    [[`--workspace=${path}/open`], "other users can enter it"],
    [[own, "--workspace-limit=size=x"], "Invalid --workspace-limit"],
    [["--workspace-idle=5s"], "--workspace-idle needs --workspace=DIR"],
  ];
  for (const [flags, text] of cases) {
    const run = await toolcall(["worker", `--nats=${url}`, ...flags]);
    expect({ flags, code: run.code }).toEqual({ flags, code: 2 });
    expect(run.stderr).toContain(text);
  }
  expect([...Deno.readDirSync(`${path}/own`)]).toEqual([]);
  const both = await toolcall(["submit", `--nats=${url}`, "--durable", "--workspace=a"]);
  expect({ code: both.code, both: both.stderr.includes("Use --durable or --workspace") })
    .toEqual({ code: 2, both: true });
  const nobody = await remoteCall(url, ["Read", { file_path: "a" }], ["--workspace=a"]);
  expect(nobody).toMatchObject({ exit: 8 });
  expect(nobody.text).toContain('No worker of the pool "default" has workspaces');
});

natsTest("deploy/nats.conf > a user uses only its own workspaces", async () => {
  using directory = temporaryDirectory();
  const { server, seeds, keys } = await startProtected(directory.path);
  await using _server = server;
  const { url } = server;
  using work = temporaryDirectory();
  const nkey = (name: keyof typeof seeds) => `--nats-nkey=${seeds[name]}`;
  await using _ = await RunningWorker.start(url, flagsOf(work.path, [nkey("WORKER")]));
  const made = await remoteCall(url, ["Bash", { command: "echo secret >s.txt" }], [
    ...[nkey("ADMIN"), "--workspace=shared"],
  ]);
  expect(made.exit).toBe(0);
  // The same name is another directory for another user.
  const other = await remoteCall(url, ["Grep", { pattern: "secret" }], [
    ...[nkey("CALLER"), "--workspace=shared"],
  ]);
  expect({ exit: other.exit, leaks: other.text.includes("s.txt") })
    .toEqual({ exit: 0, leaks: false });
  const caller = await connect({
    servers: url,
    authenticator: nkeyAuthenticator(Deno.readFileSync(seeds.CALLER)),
    inboxPrefix: `_INBOX.${keys.CALLER}`,
  });
  try {
    for (const rest of ["shared", "shared.Read", "shared.Bash"]) {
      const subject = `toolcall.in.default.${keys.ADMIN}.${rest}`;
      const answer = caller.request(subject, '{"file_path":"s.txt"}', { timeout: 120_000 });
      await expect(answer).rejects.toThrow(/[Pp]ermission/);
    }
  } finally {
    await caller.close();
  }
});
