/** The configuration of MCP servers, --allow-mcp, the cached lists of tools, and secrets. */
import { expect } from "@std/expect";
import { oneLine, type Result } from "../../support/executable.ts";
import { nasty, TOKEN, world } from "../../support/mcp/client_world.ts";
import { trustFile } from "../../support/trust.ts";

/** How often the server of this world was started. */
function starts(path: string): number {
  try {
    return Deno.readTextFileSync(`${path}/starts`).length;
  } catch {
    return 0;
  }
}

Deno.test("mcp client > a server is started only if --allow-mcp grants it", async () => {
  using place = world((directory) => ({ it: nasty("plain", directory) }));
  const denied: string[][] = [
    [],
    ["--allow-mcp=other"],
    ["--allow-mcp", "--deny-mcp=it"],
    ["-A", "--deny-mcp"],
    ["--allow-read", "--allow-write", "--allow-run", "--allow-net", "--allow-env"],
  ];
  for (const flags of denied) {
    const calls: [string, Record<string, unknown>][] = [
      ["mcp__it__echo", { text: "x" }],
      ["ListMcpResources", { server: "it" }],
      ["ListMcpResources", {}],
      ["ReadMcpResource", { server: "it", uri: "x:y" }],
      ["ReadMcpResourceDir", { server: "it", uri: "x:y" }],
    ];
    const { code, stdout } = await place.run(flags, {
      stdin: JSON.stringify(calls.map(([name, args]) => ({ name, arguments: args }))),
    });
    const results = JSON.parse(stdout) as Result[];
    expect([flags, code, results.length]).toEqual([flags, 6, calls.length]);
    for (const [at, [name]] of calls.entries()) {
      const { content, _meta } = results[at]!;
      expect([flags, name, _meta?.["toolcall/error"].code])
        .toEqual([flags, name, "permission_denied"]);
      expect(content[0]!.text).toMatch(
        /^Permission denied: using the MCP server "it" (needs --allow-mcp=it|is denied by --deny-mcp(=it)?)$/,
      );
    }
  }
  const listed = await place.run(["list"]);
  expect([listed.code, listed.stdout.includes("mcp__")]).toEqual([0, false]);
  expect(listed.stderr).toContain(
    'MCP server "it": its tools are not available: Permission denied: using the MCP server "it" needs --allow-mcp=it',
  );
  const checked = await place.run(["check", "mcp__it__echo", '{"text":"x"}']);
  expect(checked.code).toBe(6);
  expect(starts(place.path)).toBe(0);
  expect((await place.call("mcp__it__echo", { text: "x" }, ["--allow-mcp=it"])).text).toBe("x");
  expect(starts(place.path)).toBe(1);
});

Deno.test("mcp client > a list of tools is cached, and a damaged cached list is replaced", async () => {
  using place = world((directory) => ({ it: nasty("plain", directory) }));
  const cache = `${place.path}/state/cache/mcp`;
  // The first call lists and calls over one connection.
  expect((await place.call("mcp__it__echo", { text: "a" })).text).toBe("a");
  expect(starts(place.path)).toBe(1);
  const files = [...Deno.readDirSync(cache)];
  expect(files.length).toBe(1);
  const path = `${cache}/${files[0]!.name}`;
  expect([Deno.statSync(path).mode! & 0o777, Deno.statSync(cache).mode! & 0o777])
    .toEqual([0o600, 0o700]);
  // A cached list starts no server, even if a flag allows it.
  for (const flags of [[], ["--allow-mcp"]]) {
    const { stdout, stderr } = await place.run(["list", ...flags]);
    expect([stdout.includes("mcp__it__echo"), stderr]).toEqual([true, ""]);
  }
  const described = await place.run(["describe", "mcp__it__echo"]);
  expect(described.stdout).toContain("text (string, required)");
  expect((await place.call("mcp__it__echo", { text: 1 })).exit).toBe(5);
  expect((await place.call("mcp__it__echo", { text: "x" }, [])).exit).toBe(6);
  const request = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
  const answer = oneLine(await place.run([], { stdin: request })) as {
    result: { tools: { name: string }[] };
  };
  expect(answer.result.tools.map(({ name }) => name)).toContain("mcp__it__echo");
  expect(starts(place.path)).toBe(1);
  for (
    const damage of ["", "{", '{"form":1}', '{"form":1,"era":"legacy","problems":[],"tools":[{}]}']
  ) {
    Deno.writeTextFileSync(path, damage);
    expect((await place.call("mcp__it__echo", { text: "b" })).text).toBe("b");
  }
  expect(starts(place.path)).toBe(5);
  // A cached list that is a day old is not used.
  const old = Date.now() / 1000 - 25 * 60 * 60;
  Deno.utimeSync(path, old, old);
  expect((await place.run(["list"])).stdout).not.toContain("mcp__");
  // A cached list belongs to one entry of the configuration.
  Deno.utimeSync(path, new Date(), new Date());
  const other = { mcpServers: { it: { ...nasty("plain", place.path), timeout: 5_000 } } };
  Deno.writeTextFileSync(`${place.path}/toolcall.json`, JSON.stringify(other));
  expect((await place.run(["list"])).stdout).not.toContain("mcp__");
});

Deno.test("mcp client > a tool that is newer than the cached list is found", async () => {
  using place = world((directory) => ({ it: nasty("plain", directory) }));
  await place.call("mcp__it__echo", { text: "a" });
  const cache = `${place.path}/state/cache/mcp`;
  const path = `${cache}/${[...Deno.readDirSync(cache)][0]!.name}`;
  const kept = JSON.parse(Deno.readTextFileSync(path));
  Deno.writeTextFileSync(path, JSON.stringify({ ...kept, tools: kept.tools.slice(1) }));
  expect((await place.call("mcp__it__echo", { text: "b" })).text).toBe("b");
  const unknown = await place.call("mcp__it__ecko");
  expect([unknown.exit, unknown.text]).toEqual([
    4,
    'Unknown tool "mcp__it__ecko"; did you mean "mcp__it__echo"?',
  ]);
});

/** Invalid entries, each with the message about it. */
const entries: [entry: unknown, says: string][] = [
  [7, "it must be an object"],
  [{ comand: "x" }, 'it has no key "comand"; did you mean "command"?'],
  [{}, 'it must have either "command", for a program, or "url"'],
  [{ command: "x", url: "http://x" }, 'either "command"'],
  [{ command: "x", args: "y" }, '"args" must be a list of strings'],
  [{ command: "x", headers: {} }, '"headers" cannot be combined with "command"'],
  [{ url: "http://x", env: {} }, '"env" cannot be combined with "url"'],
  [{ url: "file:///x" }, '"url" must be an address that starts with http:// or https://'],
  [{ url: "http://x", type: "stdio" }, '"type" is "stdio", which cannot be combined with "url"'],
  [{ command: "x", type: "pipe" }, '"type" must be stdio, http, streamable-http or sse'],
  [{ command: "x", timeout: 0 }, '"timeout" must be milliseconds'],
  [{ command: "${NOWHERE}" }, "the environment variable NOWHERE is not set"],
  [{ command: "x", env: { A: "${env:NOWHERE}" } }, "the environment variable NOWHERE is not set"],
];
Deno.test("mcp client > an invalid entry is reported, and the other servers work", async () => {
  using place = world(() => ({ it: nasty("plain") }));
  const servers = Object.fromEntries(entries.map(([entry], at) => [`wrong${at}`, entry]));
  const config = { mcpServers: { it: nasty("plain"), "a__b": { command: "x" }, ...servers } };
  Deno.writeTextFileSync(`${place.path}/toolcall.json`, JSON.stringify(config));
  trustFile(`${place.path}/toolcall.json`, `${place.path}/state`);
  const { code, stdout, stderr } = await place.run(["list", "--allow-mcp"]);
  expect([code, stdout.includes("mcp__it__echo")]).toEqual([0, true]);
  for (const [at, [, says]] of entries.entries()) {
    expect(stderr.split("\n").find((line) => line.includes(`"wrong${at}"`))).toContain(says);
  }
  expect(stderr).toContain('the server\'s name "a__b" has to be');
  const wrong = await place.call("mcp__wrong1__x");
  expect([wrong.exit, wrong.text.includes('no key "comand"')]).toEqual([8, true]);
});

Deno.test("mcp client > invalid servers fail only the calls that need them, and an invalid file fails all calls", async () => {
  using place = world(() => ({}));
  const path = `${place.path}/toolcall.json`;
  const texts: [text: string, says: string][] = [
    ['{\n  "mcpServers": {,}\n}', "line 2, column 18: value expected"],
    ["[]", "it must contain one JSON object"],
    ['{"mcpServers": []}', "/mcpServers: must be an object"],
    ["[".repeat(200_000), "toolcall.json"],
    [`"${"x".repeat(2 ** 20)}"`, "it is larger than 1 MiB"],
  ];
  for (const [text, says] of texts) {
    Deno.writeTextFileSync(path, text);
    const needing = await place.call("mcp__it__echo");
    expect([needing.exit, needing.text.includes(says)]).toEqual([8, true]);
    // An invalid file may contain denied permissions, so every call fails.
    const exit = text.startsWith("{") && !text.includes(",}") ? 0 : 8;
    const { code, stderr } = await place.run(["list"]);
    expect([code, stderr.includes(says)]).toEqual([exit, true]);
    expect((await place.call("fs.list", {}, ["--allow-read=."])).exit).toBe(exit);
  }
});

Deno.test("mcp client > the configuration is the named file, or that of the root directory, or that of the user", async () => {
  using place = world(() => ({ local: nasty("plain") }));
  const write = (path: string, server: string) =>
    Deno.writeTextFileSync(path, JSON.stringify({ mcpServers: { [server]: nasty("plain") } }));
  write(`${place.path}/named.json`, "named");
  Deno.mkdirSync(`${place.path}/home/toolcall`);
  write(`${place.path}/home/toolcall/toolcall.json`, "own");
  Deno.mkdirSync(`${place.path}/root`);
  write(`${place.path}/root/toolcall.json`, "root");
  trustFile(`${place.path}/root/toolcall.json`, `${place.path}/state`);
  const found = async (...flags: string[]) =>
    (await place.run(["list", ...flags])).stderr.match(/MCP server "(\w+)"/)?.[1];
  expect(await found("--config=named.json")).toBe("named");
  expect(await found()).toBe("local");
  expect(await found("--root=root")).toBe("root");
  Deno.removeSync(`${place.path}/toolcall.json`);
  expect(await found()).toBe("own");
  const missing = await place.run(["list", "--config=nowhere.json"]);
  expect([missing.code, missing.stderr.includes("no such file")]).toEqual([8, true]);
});

Deno.test("mcp client > the program of a server gets a clean environment, its variables and its working directory", async () => {
  const script =
    'read -r _; printf "%s\\n" "$(env | cut -d= -f1 | sort | tr "\\n" " ") in $PWD" >&2';
  using place = world((directory) => {
    Deno.mkdirSync(`${directory}/here`);
    const env = { OWN: "${UNSET:-default}", FROM: "${env:TOKEN}" };
    return { it: { command: "sh", args: ["-c", script], cwd: "here", env } };
  }, { OTHER: "x" });
  const { text } = await place.call("mcp__it__x");
  const words = text.split("last output:\n")[1]!.split(" in ");
  const names = words[0]!.split(" ").filter((name) =>
    !["", "PWD", "_", "SHLVL", "OLDPWD"].includes(name)
  );
  expect(names.filter((name) => !["LANG", "TERM", "TMPDIR"].includes(name)))
    .toEqual(["FROM", "HOME", "OWN", "PATH"]);
  expect(words[1]).toBe(`${place.path}/here`);
  const missing = await place.call("mcp__it__x", {}, ["--allow-mcp", `--root=${place.path}/home`]);
  expect(missing.exit).toBe(4);
});

Deno.test("mcp client > a missing program is named in the error", async () => {
  using place = world(() => ({
    it: { command: "no-such-program", args: [TOKEN] },
    there: { command: "sh", cwd: "nowhere" },
  }));
  const result = await place.call("mcp__it__x");
  expect([result.exit, result.text]).toEqual([
    8,
    'Cannot run "no-such-program": no such program in PATH; install it or correct PATH',
  ]);
  expect((await place.call("mcp__there__x")).text).toContain("does not exist");
});

Deno.test("mcp client > N10 a secret is in no output and in no file", async () => {
  using place = world((directory) => ({
    it: {
      ...nasty("odd", directory),
      args: [...nasty("odd", directory)["args"] as string[], "${TOKEN}"],
    },
    bad: { url: "http://127.0.0.1:1/${TOKEN}", headers: { "x-key": TOKEN } },
  }));
  const runs = [
    await place.run(["list", "--allow-mcp"]),
    await place.run(["list", "--format=json"]),
    await place.run(["describe", "mcp__it__slow", "--format=mcp"]),
    await place.run(["check", "mcp__it__slow", "{}"]),
    await place.run(["mcp__it__remote", "{}", "--allow-mcp"]),
    await place.run(["ListMcpResources", "{}", "--allow-mcp"]),
  ];
  expect(runs[1]!.stdout).toContain("mcp__it__slow");
  expect(JSON.stringify(runs) + place.kept()).not.toContain(TOKEN);
});

Deno.test("mcp client > a configuration that calls can write is refused", async () => {
  using place = world((directory) => ({ it: nasty("plain", directory) }));
  const own = `${place.path}/own`;
  Deno.mkdirSync(own);
  Deno.renameSync(`${place.path}/toolcall.json`, `${own}/servers.json`);
  const named = `--config=${own}/servers.json`;
  const write = `--allow-write=${own}`;
  const echo = (...flags: string[]) =>
    place.call("mcp__it__echo", { text: "x" }, [named, "--allow-mcp", ...flags]);
  for (
    const flags of [[], [write], ["--allow-run"], [`--allow-write=${place.path}/x`, "--allow-run"]]
  ) {
    expect([flags, (await echo(...flags)).text]).toEqual([flags, "x"]);
  }
  const before = starts(place.path);
  for (const grant of [write, `--allow-write=${place.path}`, `--allow-write=${own}/servers.json`]) {
    const refused = await echo(grant, "--allow-run=bash");
    expect(refused.exit).toBe(8);
    expect(refused.text).toContain("programs that a call starts may write to it");
  }
  expect(starts(place.path)).toBe(before);
  const over = (...flags: string[]) =>
    place.call("Write", { file_path: `${own}/servers.json`, content: "{}" }, [named, ...flags]);
  const kept = await over(write, "--allow-read");
  expect([kept.exit, kept.text]).toEqual([
    6,
    `Permission denied: writing "${own}/servers.json" needs --allow-write=${own}/servers.json ` +
    "(other programs run or obey this file, so a grant of its directory does not cover it)",
  ]);
  expect((await over(`--allow-write=${own}/servers.json`, "--allow-read")).exit).toBe(0);
});
