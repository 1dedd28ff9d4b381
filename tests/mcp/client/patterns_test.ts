/** Schemas with patterns, which need a module with WebAssembly. */
import { expect } from "@std/expect";
import { attempts } from "../../support/attempts.ts";
import { Peer } from "../../support/mcp/peer.ts";
import { cacheDirectory, world } from "../../support/mcp/client_world.ts";

/** A server of four tools whose argument has a pattern. */
const SERVER = `
import { createInterface } from "node:readline";
const inputSchema = { type: "object", properties: { a: { type: "string", pattern: "^x" } } };
const tools = ["one", "two", "three", "four"].map((name) => ({ name, inputSchema }));
const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "patterns", version: "1" },
  }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name }) => ({ content: [{ type: "text", text: name }] }),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = results[method]?.(params);
  const end = result ? { result } : { error: { code: -32601, message: "unknown" } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...end }));
});
`;

const NAMES = ["one", "two", "three", "four"];

function patternWorld() {
  return world((directory) => {
    Deno.writeTextFileSync(`${directory}/server.mjs`, SERVER);
    const args = ["run", "-A", "--quiet", "--no-config", `${directory}/server.mjs`];
    return { patterns: { command: Deno.execPath(), args, env: cacheDirectory() } };
  });
}

Deno.test("submit > the first calls of several tools with patterns, at once, all get their results", async () => {
  using it = patternWorld();
  const lines = NAMES.map((id) => ({ id, name: `mcp__patterns__${id}`, arguments: { a: "x" } }));
  const stdin = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  for (let run = 0; run < attempts(30); run++) {
    const { code, stdout } = await it.run(["submit", "--jobs=4", "--allow-mcp"], { stdin });
    const results = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
    const texts = results.map(({ id, content }) => [id, content[0].text]).sort();
    expect([run, code, texts]).toEqual([run, 0, NAMES.map((name) => [name, name]).sort()]);
  }
});

Deno.test("mcp server > the first calls of several tools with patterns, at once, all get their results", async () => {
  using it = patternWorld();
  for (let run = 0; run < attempts(30); run++) {
    await using peer = Peer.start(["--allow-mcp", `--state-dir=${it.path}/state`], {
      cwd: it.path,
      env: cacheDirectory(),
    });
    await peer.initialize();
    const answers = await Promise.all(
      NAMES.map((name) => peer.call(`mcp__patterns__${name}`, { a: "x" })),
    );
    const texts = answers.map(({ result }) => result.content[0].text);
    expect([run, texts]).toEqual([run, NAMES]);
  }
});
