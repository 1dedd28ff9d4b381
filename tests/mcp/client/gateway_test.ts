/** `toolcall mcp` in front of other servers: their state for each session, and their names. */
import { expect } from "@std/expect";
import { isAlive } from "../../support/processes.ts";
import { until } from "../../support/wait.ts";
import { nasty, TOKEN, type World, world } from "../../support/mcp/client_world.ts";
import { initialize, listen, type Message, Peer } from "../../support/mcp/peer.ts";
import { pids } from "./kept_world.ts";

const flags = ({ path }: World, ...more: string[]) => [
  ...["--allow-mcp", `--state-dir=${path}/state`],
  ...more,
];

/** A client of the server at an address. */
class HttpSession {
  #id: string | undefined;
  #count = 0;

  constructor(readonly url: string) {}

  async request(method: string, params: Record<string, unknown> = {}): Promise<Message> {
    const response = await this.#send("POST", {
      jsonrpc: "2.0",
      id: this.#count++,
      method,
      params,
    });
    const text = await response.text();
    return JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text);
  }

  async begin(): Promise<void> {
    const response = await this.#send("POST", initialize);
    this.#id = response.headers.get("mcp-session-id")!;
    await response.body?.cancel();
  }

  async end(): Promise<void> {
    await (await this.#send("DELETE")).body?.cancel();
  }

  #send(method: string, body?: unknown): Promise<Response> {
    return fetch(this.url, {
      method,
      headers: {
        accept: "application/json, text/event-stream",
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(this.#id && { "mcp-session-id": this.#id }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }
}

Deno.test("mcp gateway > each session over HTTP has its own server processes, which end with the session", async () => {
  // A kept server would be shared by the sessions.
  using place = world((directory) => ({
    it: { ...nasty("stubborn", directory), keepAlive: "5m" },
  }));
  // The list is cached, so the gateway itself starts no server.
  await place.run(["list", "--allow-mcp"]);
  await place.run(["mcp", "stop", "--all"]);
  Deno.removeSync(`${place.path}/pids`);
  await using server = await listen(flags(place), { cwd: place.path, env: { TOKEN } });
  const sessions = [new HttpSession(server.url), new HttpSession(server.url)];
  const names = async (session: HttpSession) =>
    (await session.request("tools/list")).result.tools.map(({ name }: { name: string }) => name);
  for (const [at, session] of sessions.entries()) {
    await session.begin();
    for (const text of ["a", "b"]) {
      const params = { name: "mcp__it__echo", arguments: { text } };
      const { result } = await session.request("tools/call", params);
      expect(result.content[0].text).toBe(text);
    }
    expect(pids(place)).toHaveLength(2 * (at + 1));
  }
  // A change of the tools affects only the session of the server that changed.
  await sessions[0]!.request("tools/call", { name: "mcp__it__change", arguments: {} });
  const isChanged = async () => (await names(sessions[0]!)).includes("mcp__it__fresh");
  expect(await until(isChanged)).toBe(true);
  expect(await names(sessions[1]!)).not.toContain("mcp__it__fresh");
  await sessions[0]!.end();
  expect(await until(() => pids(place).filter(isAlive).length === 2)).toBe(true);
  expect(pids(place).map(isAlive)).toEqual([false, false, true, true]);
  const { result } = await sessions[1]!.request("tools/call", {
    name: "mcp__it__echo",
    arguments: { text: "still" },
  });
  expect(result.content[0].text).toBe("still");
  server.process.kill("SIGTERM");
  expect(await until(() => !pids(place).some(isAlive))).toBe(true);
});

Deno.test("mcp gateway > --upstream-names keeps the names of tools", async () => {
  using place = world(() => ({ it: nasty("plain") }));
  await using peer = Peer.start(flags(place, "--upstream-names"), {
    ...{ cwd: place.path, env: { TOKEN } },
  });
  await peer.initialize();
  const { result } = await peer.request("tools/list");
  const names = result.tools.map(({ name }: { name: string }) => name);
  expect(names).toContain("echo");
  expect(names.filter((name: string) => name.startsWith("mcp__"))).toEqual([]);
  for (const name of ["echo", "mcp__it__echo"]) {
    expect((await peer.call(name, { text: "x" })).result.content[0].text).toBe("x");
  }
  const wrong = await peer.call("echo", {});
  expect(wrong.result._meta["toolcall/error"].code).toBe("invalid_arguments");
  expect((await peer.call("no-such-tool")).error?.code).toBe(-32601);
});

Deno.test("mcp gateway > --upstream-names finds a tool before any list, and a name of two tools is an error", async () => {
  using place = world(() => ({ it: nasty("plain"), other: nasty("odd") }));
  const options = { cwd: place.path, env: { TOKEN } };
  await using peer = Peer.start(flags(place, "--upstream-names"), options);
  await peer.initialize();
  const [first, unknown] = await Promise.all([
    peer.call("echo", { text: "first" }),
    peer.call("no-such-tool"),
  ]);
  expect(first.result?.content[0].text).toBe("first");
  expect(unknown.error?.code).toBe(-32601);
  // A slower server may have the same tool, so the call waits for its list too.
  using twice = world(() => ({ a: nasty("plain"), b: nasty("plain") }));
  await using other = Peer.start(flags(twice, "--upstream-names"), {
    ...{ cwd: twice.path, env: { TOKEN } },
  });
  await other.initialize();
  expect((await other.call("echo", { text: "x" })).error?.message).toContain("mcp__b__echo");
});

/** Names that two tools have: the servers, a call by the name, and the full names of both tools. */
const collisions: [
  what: string,
  servers: () => Record<string, unknown>,
  call: [name: string, args: Record<string, unknown>],
  owners: [string, string],
][] = [
  [
    "tools of two servers",
    () => ({ a: nasty("plain"), b: nasty("plain") }),
    ["echo", { text: "x" }],
    ["mcp__a__echo", "mcp__b__echo"],
  ],
  ["a built-in tool and a server's tool", () => ({ it: nasty("odd") }), ["Read", {}], [
    "Read",
    "mcp__it__Read",
  ]],
];
for (const [what, servers, [name, args], owners] of collisions) {
  Deno.test(`mcp gateway > the same name of ${what} is an error that names both`, async () => {
    using place = world(servers);
    const options = { cwd: place.path, env: { TOKEN } };
    const said = (error: Message["error"]) => {
      expect(error?.message).toContain(
        `"${name}" is the name of "${owners[0]}" and "${owners[1]}"`,
      );
      expect(error?.message).toContain("--no-tools");
    };
    await using peer = Peer.start(flags(place, "--upstream-names", "--allow-read"), options);
    await peer.initialize();
    said((await peer.request("tools/list")).error);
    said((await peer.call(name, args)).error);
    // A full name belongs to one tool.
    const { result } = await peer.call(owners[1], args);
    expect(result.isError).toBe(false);
    await using other = Peer.start(
      flags(place, "--upstream-names", `--no-tools=${owners[1].replace(/__[^_]*$/, "__*")}`),
      options,
    );
    await other.initialize();
    expect((await other.request("tools/list")).error).toBeUndefined();
  });
}
