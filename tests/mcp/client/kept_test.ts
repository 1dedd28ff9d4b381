/** Servers that are kept between calls by `keepAlive`. */
import { expect } from "@std/expect";
import { attempts } from "../../support/attempts.ts";
import { executable, toolcall } from "../../support/executable.ts";
import { isAlive } from "../../support/processes.ts";
import { pause, until } from "../../support/wait.ts";
import { nasty, TOKEN, type World, world } from "../../support/mcp/client_world.ts";

interface Row {
  server: string;
  state: string;
  pid: number;
  keeperPid: number;
  startedAt: string;
  calls: number;
  idleLeftMs: number | null;
}

/** The rows of servers in `mcp list`. */
async function rows(place: World): Promise<Row[]> {
  const { stdout } = await place.run(["mcp", "list", "--format=json"]);
  return (JSON.parse(stdout) as Row[]).filter(({ server }) => server !== undefined);
}

async function running(place: World): Promise<Row[]> {
  return (await rows(place)).filter(({ state }) => state === "running");
}

/** The processes that were started so far: two for each server, its own and that of its child. */
function pids(place: World): number[] {
  return Deno.readTextFileSync(`${place.path}/pids`).trim().split(" ").map(Number);
}

/** The files of the kept servers. Only the files of locks stay, which are empty. */
function files(place: World): string[] {
  return [...Deno.readDirSync(`${place.path}/state/servers`)].map(({ name }) => name)
    .filter((name) => !/^[0-9a-f]{2}\.lock$/.test(name));
}

const echo = (place: World, flags = ["--allow-mcp"]) =>
  place.call("mcp__it__echo", { text: "hello" }, flags);

const stubborn = (directory: string) => ({ it: nasty("stubborn", directory) });

Deno.test("mcp client > calls at the same time and later calls use one kept server", async () => {
  using place = world(stubborn, { way: "kept" });
  const texts = await Promise.all(Array.from({ length: 4 }, () => echo(place)));
  expect(texts.map(({ text }) => text)).toEqual(Array(4).fill("hello"));
  await echo(place, ["--allow-mcp", "--format=mcp"]);
  expect(pids(place)).toHaveLength(2);
  const [row] = await running(place);
  expect(row).toMatchObject({ server: "it", pid: pids(place)[0], calls: 0 });
  expect(row!.idleLeftMs).toBeGreaterThan(0);
  expect(Date.parse(row!.startedAt)).toBeLessThanOrEqual(Date.now());
});

Deno.test("mcp client > other flags, values and entries start another kept server", async (t) => {
  using place = world(stubborn, { way: "kept" });
  await echo(place);
  const first = pids(place)[0]!;
  const entry = { ...nasty("stubborn", place.path), keepAlive: "5m" };
  const cases: [what: string, ends: boolean, call: () => Promise<unknown>][] = [
    ["flags", false, () => echo(place, ["--allow-mcp=it"])],
    ["more flags", false, () => echo(place, ["--allow-mcp", "--allow-read=."])],
    ["a deny flag", false, () => echo(place, ["--allow-mcp", "--deny-run=git"])],
    ["a session", false, () => echo(place, ["--allow-mcp", "--session=b"])],
    [
      "a value of a variable",
      true,
      () => place.run(["mcp__it__echo", '{"text":""}', "--allow-mcp"], { env: { TOKEN: "other" } }),
    ],
    ["an entry", true, () => {
      place.write({ it: { ...entry, timeout: 5_000 } });
      return echo(place);
    }],
  ];
  let count = 2;
  let last = first;
  for (const [what, ends, call] of cases) {
    await t.step(what, async () => {
      await call();
      const all = pids(place);
      expect(all).toHaveLength(count += 2);
      // The server of other flags continues to run. The server of an earlier entry or value has ended
      // before the new server began, which may need the same port or file.
      if (ends) expect(isAlive(last)).toBe(false);
      else expect(isAlive(first)).toBe(true);
      if (ends) last = all.at(-2)!;
    });
  }
  place.write({ it: entry });
  await t.step("the same flags in another order", async () => {
    await echo(place, ["--allow-read=.", "--allow-mcp"]);
    const before = pids(place).length;
    await echo(place, ["--allow-mcp", "--allow-read=."]);
    expect(pids(place)).toHaveLength(before);
  });
});

Deno.test("mcp client > a kept server survives a call that times out or is killed", async () => {
  using place = world(
    (directory) => ({ it: { ...nasty("stubborn", directory), timeout: 3_000 } }),
    {
      way: "kept",
    },
  );
  await echo(place);
  const late = place.call("mcp__it__wait");
  const killed = new Deno.Command(executable, {
    args: ["mcp__it__wait", "{}", "--allow-mcp", `--state-dir=${place.path}/state`],
    ...{ cwd: place.path, env: { TOKEN }, stdin: "null", stdout: "null", stderr: "null" },
  }).spawn();
  // A call is connected before the server knows of it.
  const waiting = `${place.path}/waiting`;
  Deno.writeTextFileSync(waiting, "", { append: true });
  expect(await until(() => Deno.readTextFileSync(waiting).length === 2)).toBe(true);
  killed.kill("SIGKILL");
  await killed.status;
  expect((await echo(place)).text).toBe("hello");
  expect((await late).exit).toBe(7);
  expect((await echo(place)).text).toBe("hello");
  expect(pids(place)).toHaveLength(2);
  const cancelled = () => Deno.readTextFileSync(`${place.path}/cancelled`).match(/requestId/g);
  expect(await until(() => cancelled()?.length === 2)).toBe(true);
});

Deno.test("mcp client > a kept server that crashes is started again", async () => {
  using place = world(stubborn, { way: "kept" });
  await echo(place);
  expect((await place.call("mcp__it__crash")).exit).toBe(8);
  expect(await until(() => files(place).length === 0)).toBe(true);
  expect((await echo(place)).text).toBe("hello");
  Deno.kill(pids(place).at(-2)!, "SIGKILL");
  expect(await until(() => files(place).length === 0)).toBe(true);
  expect((await echo(place)).text).toBe("hello");
  expect(pids(place)).toHaveLength(6);
});

Deno.test("mcp client > a kept server ends when no call uses it, and leaves no file", async () => {
  using place = world((directory) => ({
    it: { ...nasty("stubborn", directory), keepAlive: "1s" },
  }), { way: "kept" });
  await echo(place);
  const all = pids(place);
  expect(await until(() => !all.some(isAlive) && files(place).length === 0)).toBe(true);
  expect((await rows(place)).map(({ state }) => state)).toEqual(["not running"]);
});

Deno.test("mcp client > a keeper that is killed at any moment ends its server, and the next call works", async () => {
  using place = world(stubborn, { way: "kept" });
  await echo(place);
  for (let count = 0; count < attempts(50); count++) {
    const [row] = await running(place);
    const call = echo(place);
    await pause(Math.random() * 400, "The moment of the kill is random.");
    if (row !== undefined) Deno.kill(row.keeperPid, count % 3 === 0 ? "SIGTERM" : "SIGKILL");
    const { exit, text } = await call;
    // The call may have been running when its server ended.
    if (exit !== 0) {
      expect({ exit, text }).toEqual({ exit: 8, text });
    }
    expect((await echo(place)).text).toBe("hello");
  }
  const [row] = await running(place);
  expect(await until(() => pids(place).filter(isAlive).length === 2)).toBe(true);
  expect(isAlive(row!.pid)).toBe(true);
});

Deno.test("mcp client > calls that are killed at any moment start one kept server", async () => {
  using place = world(stubborn, { way: "kept" });
  for (let count = 0; count < attempts(40); count++) {
    const calls = [1, 2].map(() =>
      new Deno.Command(executable, {
        args: ["mcp__it__echo", '{"text":"x"}', "--allow-mcp", `--state-dir=${place.path}/state`],
        ...{ cwd: place.path, env: { TOKEN }, stdin: "null", stdout: "null", stderr: "null" },
      }).spawn()
    );
    await pause(Math.random() * 600, "The moment of the kill is random.");
    for (const each of calls) {
      try {
        each.kill("SIGKILL");
      } catch { /* It has ended. */ }
    }
    await Promise.all(calls.map(({ status }) => status));
    expect((await echo(place)).text).toBe("hello");
  }
  expect(await until(() => pids(place).filter(isAlive).length === 2)).toBe(true);
  // No killed call counts as one that uses the server.
  expect((await running(place)).map(({ calls }) => calls)).toEqual([0]);
});

Deno.test("mcp stop > the command ends one or all kept servers, even if the keeper does not respond", async (t) => {
  using place = world((directory) => ({
    it: nasty("stubborn", directory),
    other: nasty("plain", directory),
  }), { way: "kept" });
  const stop = (...args: string[]) => place.run(["mcp", "stop", ...args]);
  await t.step("no server is kept", async () => {
    const { code, stderr } = await stop("it");
    expect([code, stderr]).toEqual([
      1,
      'toolcall: The MCP server "it" is not kept now, and no other is\n',
    ]);
    expect((await stop()).code).toBe(2);
    expect((await stop("it", "--all")).code).toBe(2);
  });
  await t.step("one server", async () => {
    await echo(place);
    await place.call("mcp__other__echo", { text: "x" });
    const { code, stdout } = await stop("it");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Ended the MCP server "it" of/);
    expect(await until(() => !pids(place).some(isAlive))).toBe(true);
    expect((await running(place)).map(({ server }) => server)).toEqual(["other"]);
    expect((await stop("it")).stderr).toContain("running: other");
  });
  await t.step("all servers", async () => {
    await echo(place);
    expect((await stop("--all")).stdout.split("\n")).toHaveLength(3);
    expect(files(place)).toEqual([]);
  });
  await t.step("a keeper that does not respond", async () => {
    await echo(place);
    const [row] = await running(place);
    Deno.kill(row!.keeperPid, "SIGSTOP");
    expect((await rows(place)).map(({ state }) => state)).toContain("not responding");
    expect((await stop("it")).code).toBe(0);
    expect(await until(() => !pids(place).some(isAlive))).toBe(true);
    expect(files(place)).toEqual([]);
  });
});

Deno.test("mcp remove > the command removes a server from the configuration, and ends it", async () => {
  using place = world(stubborn, { way: "kept" });
  await echo(place);
  const { code, stdout } = await place.run(["mcp", "remove", "it"]);
  expect(code).toBe(0);
  expect(stdout).toContain('Removed the MCP server "it" from');
  expect(Deno.readTextFileSync(`${place.path}/toolcall.json`)).toContain("// A comment");
  expect(await rows(place)).toEqual([]);
  expect(await until(() => !pids(place).some(isAlive))).toBe(true);
  const again = await place.run(["mcp", "remove", "it"]);
  expect(again.code).toBe(2);
  expect(again.stderr).toContain("no such MCP server");
});

Deno.test("mcp client > a directory of kept servers that other users can change is refused", async (t) => {
  const cases: [what: string, plant: (directory: string) => void, says: string][] = [
    ["a symlink", (directory) => {
      Deno.mkdirSync(`${directory}-real`, { mode: 0o700 });
      Deno.symlinkSync(`${directory}-real`, directory);
    }, "it is a symlink"],
    [
      "a directory that others can read",
      (directory) => Deno.mkdirSync(directory, { mode: 0o755 }),
      "mode to 0700",
    ],
    ["a directory below one that everybody can write", (directory) => {
      Deno.mkdirSync(directory, { mode: 0o700 });
      Deno.chmodSync(directory.replace(/\/[^/]*$/, ""), 0o777);
    }, "everybody may write"],
  ];
  for (const [what, plant, says] of cases) {
    await t.step(what, async () => {
      using place = world(stubborn, { way: "kept" });
      Deno.mkdirSync(`${place.path}/state`);
      plant(`${place.path}/state/servers`);
      const { exit, text } = await echo(place);
      expect({ exit, text }).toEqual({ exit: 8, text });
      expect(text).toContain(says);
    });
  }
});

Deno.test("mcp client > a socket of a process that does not know the secret gets no call", async () => {
  using place = world(stubborn, { way: "kept" });
  await echo(place);
  const [name] = files(place).filter((each) => each.endsWith(".sock"));
  const path = `${place.path}/state/servers/${name}`;
  Deno.renameSync(path, `${path}.moved`);
  const received: string[] = [];
  const listener = Deno.listen({ transport: "unix", path });
  const served = (async () => {
    for await (const socket of listener) {
      const bytes = new Uint8Array(4_096);
      const count = await socket.read(bytes) ?? 0;
      received.push(new TextDecoder().decode(bytes.subarray(0, count)));
      await socket.write(new TextEncoder().encode('{"state":"ready","proof":"0"}\n'));
    }
  })();
  const { exit, text } = await echo(place);
  expect({ exit, text }).toEqual({ exit: 8, text });
  expect(text).toContain("mcp stop it");
  expect(received).toHaveLength(1);
  expect(received[0]).not.toContain("tools/call");
  // This also removes the socket.
  listener.close();
  await served.catch(() => {});
  Deno.renameSync(`${path}.moved`, path);
  // A caller without the secret gets nothing either.
  using socket = await Deno.connect({ transport: "unix", path });
  await socket.write(new TextEncoder().encode('{"toolcall":"use","proof":"0","order":"0"}\n'));
  expect(await socket.read(new Uint8Array(99))).toBe(null);
});

Deno.test("mcp client > a program in the sandbox cannot reach the files of kept servers", async () => {
  using place = world(stubborn, { way: "kept" });
  await echo(place);
  const directory = `${place.path}/state/servers`;
  const before = files(place);
  const flags = [`--allow-read=${place.path}`, `--allow-write=${place.path}`, "--allow-run"];
  const command = `ls ${directory}; cat ${directory}/*; rm -rf ${directory}; ` +
    `mv ${place.path}/state ${place.path}/moved; echo x > ${directory}/x; ` +
    `python3 -c "import socket; s = socket.socket(socket.AF_UNIX); s.connect('${directory}/${
      before.find((each) => each.endsWith(".sock"))
    }'); print('connected')"`;
  const { stdout } = await toolcall(
    ["Bash", JSON.stringify({ command }), ...flags, `--state-dir=${place.path}/state`],
    { cwd: place.path },
  );
  expect(stdout).not.toMatch(/secret|connected/);
  expect(files(place)).toEqual(before);
  for (const tool of ["Read", "Write"]) {
    const file_path = `${directory}/${before[0]}`;
    const args = { file_path, ...(tool === "Write" && { content: "x" }) };
    for (const given of [flags, ["-A", "--deny-run=git"]]) {
      const { exit, text } = await place.call(tool, args, given);
      expect({ tool, given, exit, text }).toEqual({ tool, given, exit: 6, text });
    }
  }
  const found = await place.call("Grep", { pattern: "secret", path: place.path }, flags);
  expect(JSON.stringify(found)).not.toContain(".json");
  expect((await echo(place)).text).toBe("hello");
  expect(pids(place)).toHaveLength(2);
});
