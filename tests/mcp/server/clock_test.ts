/** The clock of the machine is set while the server runs. */
// tier: machine
import { fileURLToPath } from "node:url";
import { expect } from "@std/expect";
import { temporaryDirectory } from "../../support/executable.ts";
import { has } from "../../support/programs.ts";
import { initialize, listen } from "../../support/mcp/peer.ts";

/** The most sessions, and the time by which the clock is set forward: longer than a session is kept. */
const [MOST, AHEAD_MS] = [100, 7_200_000];

Deno.test({
  name: "mcp over http > a session survives when the clock of the machine is set forward",
  ignore: Deno.build.os !== "linux" || !has("gcc"),
  fn: async () => {
    using directory = temporaryDirectory();
    const [library, isAhead, log] = ["clock.so", "ahead", "audit.jsonl"].map((name) =>
      `${directory.path}/${name}`
    ) as [string, string, string];
    const source = fileURLToPath(new URL("./clock_ahead.c", import.meta.url));
    const { success } = new Deno.Command("gcc", {
      args: ["-shared", "-fPIC", "-O2", "-o", library, source],
    }).outputSync();
    expect(success).toBe(true);
    await using server = await listen(["--allow-read=.", `--audit=${log}`], {
      cwd: directory.path,
      env: { LD_PRELOAD: library, CLOCK_AHEAD: isAhead },
    });
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
      return { status: response.status, session: response.headers.get("mcp-session-id") };
    };
    const call = (session: string) =>
      post({
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
        params: { name: "fs_list", arguments: {} },
      }, session);
    const sessions: string[] = [];
    while (sessions.length < MOST) sessions.push((await post(initialize)).session!);
    Deno.writeTextFileSync(isAhead, "");
    // At the maximum number of sessions, one is ended for the next.
    expect((await post(initialize)).status).toBe(200);
    expect((await call(sessions[1]!)).status).toBe(200);
    const { time } = JSON.parse(Deno.readTextFileSync(log).trimEnd().split("\n").at(-1)!);
    expect(Date.parse(time) - Date.now()).toBeGreaterThan(AHEAD_MS / 2);
  },
});
