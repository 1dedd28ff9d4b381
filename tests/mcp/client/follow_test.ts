/** Servers of a long-lived process: it keeps connections, and follows changes of the tools. */
import { expect } from "@std/expect";
import { Servers, withServers } from "../../../src/runner/call/servers.ts";
import { Registry } from "../../../src/runner/registry/registry.ts";
import { temporaryDirectory } from "../../support/executable.ts";
import { isAlive } from "../../support/processes.ts";
import { until } from "../../support/wait.ts";
import { cacheDirectory, modern, nasty } from "../../support/mcp/client_world.ts";
import { trustFile } from "../../support/trust.ts";

const options = { signal: new AbortController().signal };

function residents(directory: string, entries: Record<string, unknown>) {
  Deno.writeTextFileSync(`${directory}/toolcall.json`, JSON.stringify({ mcpServers: entries }));
  trustFile(`${directory}/toolcall.json`, `${directory}/state`);
  const servers = new Servers({
    root: directory,
    environment: () => ({ TOKEN: "x", HOME: directory, ...cacheDirectory() }),
    grants: { all: true, allow: {}, deny: {} },
    stateDir: `${directory}/state`,
  });
  servers.stay();
  return { servers, registry: new Registry() };
}

for (
  const [era, entry, tool, fresh] of [
    ["of an older revision", nasty("plain"), "change", "mcp__it__fresh"],
    ["of the newest revision", modern(), "grow", "mcp__it__grown"],
  ] as const
) {
  Deno.test(`mcp client > the registry follows the changed tools of a server ${era}`, async () => {
    using directory = temporaryDirectory();
    const { servers, registry } = residents(directory.path, { it: entry });
    const events: string[] = [];
    registry.subscribe(({ type, name }) => events.push(`${type} ${name}`));
    try {
      expect(await withServers({ registry, servers })).toEqual([]);
      expect([registry.has(`mcp__it__${tool}`), registry.has(fresh)]).toEqual([true, false]);
      await (await servers.open()).call(["it", tool], {}, options);
      expect(await until(() => registry.has(fresh))).toBe(true);
      expect(events.at(-1)).toBe(`registered ${fresh}`);
      // Tools that have not changed remain registered.
      expect(events.filter((event) => event.startsWith("unregistered"))).toEqual([]);
    } finally {
      await servers.closeAll();
    }
  });
}

Deno.test("mcp client > a server that ends is started again by the next call", async () => {
  using directory = temporaryDirectory();
  const { servers, registry } = residents(directory.path, {
    it: nasty("stubborn", directory.path),
  });
  const pids = () => Deno.readTextFileSync(`${directory.path}/pids`).trim();
  try {
    await withServers({ registry, servers });
    const opened = await servers.open();
    const echo = (text: string) => opened.call(["it", "echo"], { text }, options);
    expect(await echo("a")).toEqual([{ type: "text", text: "a" }]);
    expect(await echo("b")).toEqual([{ type: "text", text: "b" }]);
    const first = pids();
    await expect(opened.call(["it", "crash"], {}, options)).rejects.toThrow(
      "closed the connection",
    );
    expect(await echo("c")).toEqual([{ type: "text", text: "c" }]);
    expect(pids().length).toBeGreaterThan(first.length);
    // A cancelled call does not end the server.
    const stop = new AbortController();
    const waiting = opened.call(["it", "wait"], {}, { signal: stop.signal });
    stop.abort();
    await expect(waiting).rejects.toThrow();
    expect(await echo("d")).toEqual([{ type: "text", text: "d" }]);
  } finally {
    await servers.closeAll();
  }
  const all = pids().match(/\d+/g)!.map(Number);
  expect(await until(() => !all.some(isAlive))).toBe(true);
});

Deno.test("mcp client > the progress of a call is reported", async () => {
  using directory = temporaryDirectory();
  const { servers, registry } = residents(directory.path, { it: nasty("plain") });
  try {
    await withServers({ registry, servers });
    const lines: string[] = [];
    const onProgress = (line: string) => void lines.push(line);
    await (await servers.open()).call(["it", "progress"], {}, { ...options, onProgress });
    expect(lines).toEqual(["1/2 step 1", "2/2 step 2"]);
  } finally {
    await servers.closeAll();
  }
});
