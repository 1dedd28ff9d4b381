/** Calls that do not end by themselves, and servers that end during a call. */
// tier: machine
import { expect } from "@std/expect";
import { conformanceProgram } from "../conformance/program.ts";
import { Peer } from "../../support/mcp/peer.ts";
import { endlessSleep, processesWith } from "../../support/processes.ts";
import { until } from "../../support/wait.ts";
import { callOf, post, served, session } from "./http_client.ts";
import { scene } from "./scenes.ts";

Deno.test("mcp server > an endless call ends at its time limit and does not block other calls", async () => {
  using it = scene();
  const program = await conformanceProgram(it.path);
  await using peer = Peer.start(["-A", `--state-dir=${it.path}/state`], {
    cwd: it.inside,
    program,
  });
  await peer.initialize();
  const endless = Array.from({ length: 3 }, () => peer.call("endless"));
  const { result } = await peer.call("test_simple_text");
  expect(result.isError).toBe(false);
  for (const call of endless) {
    const { result } = await call;
    expect(result._meta["toolcall/error"]).toMatchObject({ code: "timeout", timeoutMs: 1_000 });
  }
  expect((await peer.call("test_simple_text")).result.isError).toBe(false);
});

Deno.test("mcp server > a call and its programs end when the client closes the connection", async () => {
  using it = scene();
  const peer = Peer.start(["-A", `--state-dir=${it.path}/state`], { cwd: it.inside });
  await peer.initialize();
  const sleep = endlessSleep();
  const args = { command: `${sleep}; echo no` };
  const call = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "Bash", arguments: args },
  };
  await peer.write(`${JSON.stringify(call)}\n`);
  expect(await until(() => processesWith(sleep).length > 0)).toBe(true);
  expect(await peer.end()).toBe(0);
  expect(await until(() => processesWith(sleep).length === 0)).toBe(true);
});

Deno.test("mcp over http > the server ends after SIGTERM even if a call does not end", async () => {
  await using server = await served();
  const headers = await session(server.url);
  const sleep = endlessSleep();
  const call = post(server.url, callOf("Bash", { command: `${sleep}; echo no` }), headers);
  expect(await until(() => processesWith(sleep).length > 0)).toBe(true);
  server.process.kill("SIGTERM");
  expect((await server.process.status).code).toBe(0);
  await (await call).text().catch(() => {});
  expect(await until(() => processesWith(sleep).length === 0)).toBe(true);
});
