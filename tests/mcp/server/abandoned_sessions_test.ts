/** Clients over HTTP that begin sessions and never end them. */
import { expect } from "@std/expect";
import { temporaryDirectory } from "../../support/executable.ts";
import { initialize, listen } from "../../support/mcp/peer.ts";
import { post } from "./http_client.ts";

/** The most sessions at a time. */
const MOST = 100;

Deno.test("mcp over http > the session that was idle for longest ends when a new one exceeds the maximum", async () => {
  using directory = temporaryDirectory();
  await using server = await listen(["--allow-read=."], { cwd: directory.path });
  const ask = async (body: unknown, session?: string) => {
    const headers = session === undefined ? {} : { "mcp-session-id": session };
    const response = await post(server.url, body, headers);
    await response.text();
    return { status: response.status, session: response.headers.get("mcp-session-id")! };
  };
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const sessions: string[] = [];
  while (sessions.length < MOST) sessions.push((await ask(initialize)).session);
  // The first session is used again, so the second one was idle for longest.
  expect((await ask(list, sessions[0])).status).toBe(200);
  const late = await ask(initialize);
  expect(late.status).toBe(200);
  const statuses = [];
  for (const session of [sessions[0], sessions[1], sessions[2], late.session]) {
    statuses.push((await ask(list, session)).status);
  }
  expect(statuses).toEqual([200, 404, 200, 200]);
});
