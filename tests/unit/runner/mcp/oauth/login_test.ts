/** A login at an MCP server: the addresses that get tokens. */
import { expect } from "@std/expect";
import type { Callback } from "../../../../../src/runner/mcp/oauth/callback.ts";
import { login, type LoginOptions } from "../../../../../src/runner/mcp/oauth/login.ts";
import { OriginGuard } from "../../../../../src/runner/mcp/oauth/origin_guard.ts";
import type { RemoteConfig } from "../../../../../src/runner/mcp/oauth/remote_config.ts";

/** The message of a login at an address, where no server answers. */
async function failureAt(url: string): Promise<string> {
  const signal = AbortSignal.timeout(60_000);
  const ask = () => Promise.reject(new Error("no other origin"));
  const server = { name: "s", secrets: [], place: { type: "http", url } };
  const options = {
    guard: new OriginGuard({ server: "s", url, named: [], ask, signal }),
    callback: {} as Callback,
    present: () => Promise.reject(new Error("no browser")),
  };
  try {
    await login(server as unknown as RemoteConfig, options as unknown as LoginOptions);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

Deno.test("mcp login > tokens go only to HTTPS or to this machine", async () => {
  // Nothing listens at port 1.
  const rows: [url: string, isRefused: boolean][] = [
    ["http://server.test/mcp", true],
    ["http://192.0.2.1/mcp", true],
    ["http://127.0.0.1:1/mcp", false],
    ["https://127.0.0.1:1/mcp", false],
  ];
  for (const [url, isRefused] of rows) {
    const message = await failureAt(url);
    expect([url, message.includes("starts with https://")]).toEqual([url, isRefused]);
    expect(message).not.toBe("");
  }
});
