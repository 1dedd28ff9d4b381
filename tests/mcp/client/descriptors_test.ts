/** The descriptors of a gateway whose server ends with each call. */
import { expect } from "@std/expect";
import { cacheDirectory, world } from "../../support/mcp/client_world.ts";
import { Peer } from "../../support/mcp/peer.ts";

/** A server that ends when it has answered a call. */
const SERVER = `
import { createInterface } from "node:readline";
const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "short", version: "1" },
  }),
  "tools/list": () => ({ tools: [{ name: "one", inputSchema: { type: "object" } }] }),
  "tools/call": () => ({ content: [{ type: "text", text: "done" }] }),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = results[method]?.(params);
  const end = result ? { result } : { error: { code: -32601, message: "unknown" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...end }) + "\\n", () => {
    if (method === "tools/call") process.exit();
  });
});
`;

/** The calls before the first count, and those after it. */
const [FIRST, MORE] = [6, 18];

/** The descriptors of a server that is just ending, which close some milliseconds later. */
const ENDING = 10;

Deno.test({
  name: "mcp server > a server that ends with each call costs no descriptor",
  ignore: Deno.build.os !== "linux",
  async fn() {
    using it = world((directory) => {
      Deno.writeTextFileSync(`${directory}/server.mjs`, SERVER);
      const args = ["run", "-A", "--quiet", "--no-config", `${directory}/server.mjs`];
      return { short: { command: Deno.execPath(), args, env: cacheDirectory() } };
    });
    await using peer = Peer.start(["--allow-mcp", `--state-dir=${it.path}/state`], {
      cwd: it.path,
      env: cacheDirectory(),
    });
    await peer.initialize();
    const count = async (calls: number) => {
      // A call that comes while the server ends may fail, and the next one starts another server.
      for (let done = 0; done < calls;) {
        const { result } = await peer.call("mcp__short__one");
        if (!result.isError) done++;
      }
      return [...Deno.readDirSync(`/proc/${peer.process.pid}/fd`)].length;
    };
    const before = await count(FIRST);
    // A descriptor for each call would be more.
    expect(await count(MORE)).toBeLessThanOrEqual(before + ENDING);
  },
});
