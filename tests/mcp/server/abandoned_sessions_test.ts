/** Clients over HTTP that begin sessions and never end them. */
import { expect } from "@std/expect";
import { temporaryDirectory } from "../../support/executable.ts";
import { initialize, listen } from "../../support/mcp/peer.ts";

/** The most sessions at a time. */
const MOST = 100;

Deno.test("mcp over http > the session that was idle for longest ends when a new one exceeds the maximum", async () => {
  using directory = temporaryDirectory();
  await using server = await listen(["--allow-read=."], { cwd: directory.path });
  const post = async (body: unknown, session?: string) => {
    const response = await fetch(server.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(session !== undefined && { "mcp-session-id": session }),
      },
      body: JSON.stringify(body),
    });
    await response.text();
    return { status: response.status, session: response.headers.get("mcp-session-id")! };
  };
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const sessions: string[] = [];
  while (sessions.length < MOST) sessions.push((await post(initialize)).session);
  // The first session is used again, so the second one was idle for longest.
  expect((await post(list, sessions[0])).status).toBe(200);
  const late = await post(initialize);
  expect(late.status).toBe(200);
  const statuses = [];
  for (const session of [sessions[0], sessions[1], sessions[2], late.session]) {
    statuses.push((await post(list, session)).status);
  }
  expect(statuses).toEqual([200, 404, 200, 200]);
});
