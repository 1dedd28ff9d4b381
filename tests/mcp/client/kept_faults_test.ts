/** Kept servers and keepers that crash, hang or are killed, and programs that reach for their files. */
// tier: machine
import { expect } from "@std/expect";
import { attempts } from "../../support/attempts.ts";
import { executable, toolcall } from "../../support/executable.ts";
import { isAlive } from "../../support/processes.ts";
import { pause, readIfThere, until } from "../../support/wait.ts";
import { nasty, TOKEN, world } from "../../support/mcp/client_world.ts";
import { echo, files, pids, rows, running, stubborn } from "./kept_world.ts";

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
  expect(await until(() => readIfThere(waiting).length === 2)).toBe(true);
  killed.kill("SIGKILL");
  await killed.status;
  expect((await echo(place)).text).toBe("hello");
  expect((await late).exit).toBe(7);
  expect((await echo(place)).text).toBe("hello");
  expect(pids(place)).toHaveLength(2);
  const cancelled = () => readIfThere(`${place.path}/cancelled`).match(/requestId/g);
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
