// deno-lint-ignore-file no-console
/** Calls that only read: their cost, their answers, and the files that they must not read. */
import { expect } from "@std/expect";
import { raceTime } from "../../support/attempts.ts";
import { executable, temporaryDirectory } from "../../support/executable.ts";
import { initialize, listen, Peer } from "../../support/mcp/peer.ts";

const isLinux = Deno.build.os === "linux";

/** A directory with a file that calls may read, and a file that a flag denies. */
function scene() {
  const directory = temporaryDirectory();
  Deno.mkdirSync(`${directory.path}/inside`);
  const path = `${Deno.realPathSync(directory.path)}/inside`;
  Deno.writeTextFileSync(`${path}/file.txt`, "what is inside\n");
  Deno.writeTextFileSync(`${path}/denied.txt`, "SECRET\n");
  const flags = [
    ...[`--allow-read=${path}`, `--deny-read=${path}/denied.txt`],
    `--state-dir=${directory.path}/state`,
  ];
  return { path, flags, [Symbol.dispose]: () => directory[Symbol.dispose]() };
}

/** Sends `count` reads of a file before the first answer, and returns the text of each answer. */
async function readAtOnce(peer: Peer, path: string, count: number): Promise<string[]> {
  const answers = await Promise.all(
    Array.from({ length: count }, () => peer.call("Read", { file_path: path })),
  );
  return answers.map(({ result }) => result.content[0].text);
}

Deno.test({
  name: "quick calls > the first fifty reads of a server start one thread and no process",
  ignore: !isLinux,
  async fn() {
    using it = scene();
    await using peer = Peer.start(it.flags, { cwd: it.path });
    await peer.initialize();
    const texts = await readAtOnce(peer, `${it.path}/file.txt`, 50);
    expect(new Set(texts)).toEqual(new Set(["     1\twhat is inside\n"]));
    const tasks = `/proc/${peer.process.pid}/task`;
    const names = [...Deno.readDirSync(tasks)].map(({ name }) =>
      Deno.readTextFileSync(`${tasks}/${name}/comm`).trim()
    );
    expect(names.filter((name) => name.startsWith("worker-"))).toHaveLength(1);
    const children = [...Deno.readDirSync(tasks)].map(({ name }) =>
      Deno.readTextFileSync(`${tasks}/${name}/children`)
    );
    expect(children.join("").trim()).toBe("");
  },
});

Deno.test("quick calls > a quick call, a usual call and a call over HTTP have the same answer", async () => {
  using it = scene();
  await using peer = Peer.start(it.flags, { cwd: it.path });
  await using server = await listen(it.flags, { cwd: it.path });
  await peer.initialize();
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const post = (body: object, more: Record<string, string> = {}) =>
    fetch(server.url, {
      method: "POST",
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
    });
  const begun = await post(initialize);
  await begun.body?.cancel();
  const session = { "mcp-session-id": begun.headers.get("mcp-session-id")! };
  for (
    const [name, args] of [
      ["Read", { file_path: `${it.path}/file.txt` }],
      ["Read", { file_path: `${it.path}/none.txt` }],
      ["Read", { file_path: `${it.path}/denied.txt` }],
      ["Read", { file_path: `${it.path}/file.txt`, offset: "1" }],
      ["Read", { offset: 1 }],
      ["fs_read", { path: "file.txt" }],
      ["fs.list", {}],
      ["Raed", {}],
    ] as const
  ) {
    const params = { name, arguments: args };
    const quick = [
      await peer.request("tools/call", params),
      await peer.request("tools/call", params),
    ];
    // The library answers a request that has `_meta`.
    const usual = await peer.request("tools/call", { ...params, _meta: { own: 1 } });
    const request = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const text = await (await post(request, session)).text();
    const overHttp = text.split("\n").map((line) => line.replace(/^data: /, ""))
      .filter((line) => line.startsWith("{")).map((line) => JSON.parse(line))
      .find(({ id }) => id === 1);
    for (const { result, error } of [...quick, overHttp]) {
      expect({ result, error }).toEqual({ result: usual.result, error: usual.error });
    }
  }
});

Deno.test("quick calls > a read over HTTP is answered with JSON, and only in its session", async () => {
  using it = scene();
  await using server = await listen(it.flags, { cwd: it.path });
  const post = async (body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(server.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, type: response.headers.get("content-type"), text, response };
  };
  const { response } = await post(initialize);
  const session = { "mcp-session-id": response.headers.get("mcp-session-id")! };
  const params = { name: "Read", arguments: { file_path: `${it.path}/file.txt` } };
  const call = { jsonrpc: "2.0", id: 7, method: "tools/call", params };
  const good = await post(call, session);
  expect([good.status, good.type]).toEqual([200, "application/json"]);
  expect(JSON.parse(good.text)).toMatchObject({ id: 7, result: { isError: false } });
  expect((await post(call)).status).toBe(400);
  expect((await post(call, { "mcp-session-id": "none" })).status).toBe(404);
  expect((await post(call, { ...session, "mcp-protocol-version": "1999-01-01" })).status).toBe(400);
  expect((await post(call, { ...session, accept: "application/json" })).status).toBe(406);
});

Deno.test("quick calls > the usual initialize request gets the same answer as from the library", async () => {
  using it = scene();
  const clients = [
    { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} } },
    { experimental: { own: {} }, roots: {} },
    {},
  ];
  for (const version of ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"]) {
    for (const capabilities of clients) {
      const answers = [];
      // The library answers a request that has `_meta`.
      for (const more of [{}, { _meta: {} }]) {
        await using peer = Peer.start(it.flags, { cwd: it.path });
        const { result, error } = await peer.request("initialize", {
          ...initialize.params,
          ...{ protocolVersion: version, capabilities, ...more },
        });
        answers.push({ result, error });
        // The request has only one answer, and the next request is answered too.
        expect((await peer.request("ping")).result).toEqual({});
        expect(peer.unasked).toEqual([]);
      }
      expect(answers[0]).toEqual(answers[1]);
      if (version !== "2025-11-25") break;
    }
  }
});

const hasStrace = await new Deno.Command("strace", { args: ["true"], stderr: "null" }).output()
  .then(({ success }) => success, () => false);
if (!hasStrace) console.log("skipped: counting system calls needs strace");

/** Runs a server with these lines as its input, and returns its system calls of these names. */
async function trace(flags: string[], { names, lines }: { names: string; lines: object[] }) {
  using directory = temporaryDirectory();
  const log = `${directory.path}/log`;
  const child = new Deno.Command("strace", {
    args: ["-f", "-s", "200", "-e", `trace=${names}`, "-o", log, executable, "mcp", ...flags],
    stdin: "piped",
    stdout: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(
    new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join("")),
  );
  await writer.close();
  await child.status;
  return Deno.readTextFileSync(log).split("\n");
}

Deno.test({
  name: "quick calls > initialize is answered before the library is loaded",
  ignore: !hasStrace,
  async fn() {
    using it = scene();
    const calls = await trace(it.flags, { names: "openat,write", lines: [initialize] });
    const answered = calls.findIndex((call) => call.includes('write(1, "{\\"result\\"'));
    const loaded = calls.slice(0, answered).flatMap((call) =>
      /openat\(.*\/(\w+\.js)", O_RDONLY/.exec(call)?.[1] ?? []
    );
    expect(loaded).toEqual([
      ...["main.js", "runner_cli_commands_mcp.js", "runner_mcp_server_stdio.js"],
    ]);
    expect(calls.slice(answered).join("\n")).toContain("runner_mcp_server_connect_lines.js");
  },
});

Deno.test({
  name: "quick calls > a read opens its file once, and resolves its path no more often than needed",
  ignore: !hasStrace,
  async fn() {
    using it = scene();
    const path = `${it.path}/file.txt`;
    const reads = (count: number) =>
      Array.from({ length: count }, (_, id) => {
        const params = { name: "Read", arguments: { file_path: path } };
        return { jsonrpc: "2.0", id, method: "tools/call", params };
      });
    const counts = [];
    for (const count of [20, 70]) {
      const lines = [initialize, ...reads(count)];
      const calls = await trace(it.flags, { names: "openat,readlink,execve,clone3,statx", lines });
      const of = (name: string) => calls.filter((call) => call.includes(` ${name}(`)).length;
      const journal = calls.filter((call) => call.includes('/patches"')).length;
      counts.push({
        openat: of("openat"),
        readlink: of("readlink"),
        journal,
        others: of("execve") + of("clone3") + of("statx") - journal,
      });
    }
    const [few, many] = counts;
    // The type of the file is checked before it is opened.
    expect((many!.openat - few!.openat) / 50).toBeLessThanOrEqual(2.1);
    // Its path is resolved before the call is allowed, and again by the thread that reads.
    const names = path.split("/").length - 1;
    expect((many!.readlink - few!.readlink) / 50).toBeLessThanOrEqual(2 * names + 0.1);
    // One call checks whether a patch is unfinished.
    expect((many!.journal - few!.journal) / 50).toBeLessThanOrEqual(1.1);
    expect((many!.others - few!.others) / 50).toBeLessThanOrEqual(0.1);
  },
});

Deno.test({
  name:
    "quick calls > a file that becomes a symlink to a denied file or a pipe reveals and blocks nothing",
  ignore: !isLinux,
  async fn() {
    using it = scene();
    const own = `${it.path}/own`;
    Deno.mkdirSync(own);
    // The name `swapped` is in turn the file, a symlink to the denied file, and a pipe.
    const swapper = new Deno.Command("bash", {
      args: [
        "-c",
        `cd "$1" && while [ -e own ]; do
           echo own > t1 && mv -T t1 swapped; ln -sfn denied.txt t2 && mv -T t2 swapped
           mkfifo t3 && mv -T t3 swapped
         done`,
        ...["bash", it.path],
      ],
      stderr: "null",
    }).spawn();
    await using peer = Peer.start(it.flags, { cwd: it.path });
    await peer.initialize();
    const counts = { tried: 0, read: 0, leaked: 0 };
    const continues = raceTime(20_000, () => counts.tried >= 1_000 && counts.read > 0);
    while (continues()) {
      for (const text of await readAtOnce(peer, `${it.path}/swapped`, 50)) {
        counts.tried++;
        if (text.includes("own")) counts.read++;
        if (text.includes("SECRET")) counts.leaked++;
      }
    }
    Deno.removeSync(own);
    await swapper.status;
    expect(counts.tried).toBeGreaterThan(100);
    expect(counts.leaked).toBe(0);
  },
});
