/** Servers that are kept between calls by `keepAlive`. */
import { expect } from "@std/expect";
import { isAlive } from "../../support/processes.ts";
import { until } from "../../support/wait.ts";
import { nasty, world } from "../../support/mcp/client_world.ts";
import { echo, files, pids, rows, running, stubborn } from "./kept_world.ts";

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

Deno.test("mcp stop > servers that calls used are listed and can be stopped", async () => {
  using place = world((directory) => ({ it: nasty("plain", directory) }), { way: "kept" });
  for (const text of ["a", "b"]) {
    expect((await place.call("mcp__it__echo", { text })).text).toBe(text);
  }
  expect(Deno.readTextFileSync(`${place.path}/starts`)).toHaveLength(1);
  // Other flags start another server.
  await echo(place, ["--allow-mcp=it"]);
  expect(Deno.readTextFileSync(`${place.path}/starts`)).toHaveLength(2);
  const kept = await running(place);
  expect(kept.map(({ server, calls }) => [server, calls])).toEqual([["it", 0], ["it", 0]]);
  const { code, stdout } = await place.run(["mcp", "stop", "it"]);
  expect([code, stdout.match(/^Ended the MCP server "it" of/gm)?.length]).toEqual([0, 2]);
  const processes = kept.flatMap(({ pid, keeperPid }) => [pid, keeperPid]);
  expect(await until(() => !processes.some(isAlive))).toBe(true);
  expect(files(place)).toEqual([]);
  expect((await rows(place)).map(({ state }) => state)).toEqual(["not running"]);
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
