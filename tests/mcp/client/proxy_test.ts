/** toolcall between an MCP client and the MCP servers of its configuration. */
import { expect } from "@std/expect";
import { until } from "../../support/wait.ts";
import { nasty, TOKEN, world } from "../../support/mcp/client_world.ts";
import { type Message, Peer } from "../../support/mcp/peer.ts";

const changed = ({ method }: Message) => method === "notifications/tools/list_changed";

Deno.test("mcp server > the server offers the tools of other servers, and notifies its client of changes", async () => {
  using place = world(() => ({ it: nasty("plain") }));
  const flags = ["--allow-mcp", `--state-dir=${place.path}/state`];
  await using peer = Peer.start(flags, { cwd: place.path, env: { TOKEN } });
  await peer.initialize();
  const names = async () =>
    (await peer.request("tools/list")).result.tools.map(({ name }: { name: string }) => name);
  expect(await names()).toContain("mcp__it__echo");
  const { result } = await peer.call("mcp__it__echo", { text: "through" });
  expect(result).toMatchObject({ content: [{ type: "text", text: "through" }], isError: false });
  const wrong = await peer.call("mcp__it__echo", { text: {} });
  expect(wrong.result._meta["toolcall/error"].code).toBe("invalid_arguments");
  const { result: data } = await peer.call("mcp__it__data");
  expect(data.structuredContent).toBeDefined();
  peer.unasked.length = 0;
  await peer.call("mcp__it__change");
  expect(await until(() => peer.unasked.some(changed))).toBe(true);
  expect(await names()).toContain("mcp__it__fresh");
});

Deno.test("mcp server > a list of a thousand tools has pages, with each tool once", async () => {
  using place = world(() => ({ it: nasty("many") }));
  const flags = ["--allow-mcp", `--state-dir=${place.path}/state`];
  await using peer = Peer.start(flags, { cwd: place.path, env: { TOKEN } });
  await peer.initialize();
  // A server that takes long to start is not in the first list.
  const isListed = async () =>
    JSON.stringify(await peer.request("tools/list")).includes("mcp__it__");
  expect(await until(isListed)).toBe(true);
  const seen: string[] = [];
  let pages = 0;
  let params: Record<string, unknown> | undefined = {};
  while (params !== undefined) {
    const { result } = await peer.request("tools/list", params);
    expect(result.tools.length).toBeLessThanOrEqual(50);
    seen.push(...result.tools.map(({ name }: { name: string }) => name));
    params = result.nextCursor === undefined ? undefined : { cursor: result.nextCursor };
    pages++;
  }
  expect(pages).toBeGreaterThan(20);
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.filter((name) => name.startsWith("mcp__it__"))).toHaveLength(1_000);
});

Deno.test("mcp server > a tool of another server cannot be listed or called without --allow-mcp", async () => {
  using place = world(() => ({ it: nasty("plain") }));
  const flags = [`--state-dir=${place.path}/state`];
  await using peer = Peer.start(flags, { cwd: place.path, env: { TOKEN } });
  await peer.initialize();
  const { result } = await peer.request("tools/list");
  expect(JSON.stringify(result)).not.toContain("mcp__it");
  const { result: refused } = await peer.call("mcp__it__echo", { text: "x" });
  expect(refused._meta["toolcall/error"].code).toBe("permission_denied");
});
