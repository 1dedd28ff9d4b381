/** Programs of MCP servers that do not answer the request for their revision. */
import { expect } from "@std/expect";
import { EarlyInitialize } from "../../../../../src/runner/mcp/client/early_initialize.ts";
import { until } from "../../../../support/wait.ts";

type Message = Record<string, unknown>;

const clientInfo = { name: "test", version: "1" };
const discover = {
  ...{ jsonrpc: "2.0", id: 1, method: "server/discover" },
  params: { _meta: { "io.modelcontextprotocol/clientInfo": clientInfo } },
};
const initialize = { jsonrpc: "2.0", id: 2, method: "initialize", params: {} };
const result = { protocolVersion: "2025-11-25", capabilities: {} };

/** Sends `server/discover`, and waits for the early `initialize`. */
async function ignored() {
  const [program, client]: [Message[], Message[]] = [[], []];
  const early = new EarlyInitialize((each) => program.push(each), (each) => client.push(each));
  expect(early.takeFromClient(discover)).toBe(false);
  expect(await until(() => program.length > 0)).toBe(true);
  const [sent] = program as [Message];
  expect(sent).toMatchObject({
    method: "initialize",
    params: { clientInfo, capabilities: {}, _meta: discover.params._meta },
  });
  return { early, program, client, sent };
}

Deno.test("EarlyInitialize > a program that ignores server/discover gets one initialize, whose answer the client gets", async () => {
  const { early, program, client, sent } = await ignored();
  expect(early.takeFromProgram({ jsonrpc: "2.0", id: sent["id"], result })).toBe(true);
  expect(client.length).toBe(1);
  expect(client[0]).toMatchObject({ id: 1, error: { code: -32601 } });
  expect(early.takeFromClient(initialize)).toBe(true);
  expect(client[1]).toEqual({ jsonrpc: "2.0", id: 2, result });
  expect(program.length).toBe(1);
});

Deno.test("EarlyInitialize > the client's initialize waits for the answer to the early one", async () => {
  const { early, client, sent } = await ignored();
  expect(early.takeFromClient(initialize)).toBe(true);
  expect(early.takeFromProgram({ jsonrpc: "2.0", id: sent["id"], result })).toBe(true);
  expect(client).toEqual([{ jsonrpc: "2.0", id: 2, result }]);
});

Deno.test("EarlyInitialize > a late answer to server/discover is used, and the answer to initialize is dropped", async () => {
  const { early, client, sent } = await ignored();
  expect(early.takeFromProgram({ jsonrpc: "2.0", id: 1, result: {} })).toBe(false);
  expect(early.takeFromProgram({ jsonrpc: "2.0", id: sent["id"], result })).toBe(true);
  expect(client).toEqual([]);
});

Deno.test("EarlyInitialize > a program that refuses initialize can still answer server/discover", async () => {
  const { early, client, sent } = await ignored();
  const error = { code: -32600, message: "No" };
  expect(early.takeFromProgram({ jsonrpc: "2.0", id: sent["id"], error })).toBe(true);
  expect(client).toEqual([]);
  expect(early.takeFromProgram({ jsonrpc: "2.0", id: 1, result: {} })).toBe(false);
});
