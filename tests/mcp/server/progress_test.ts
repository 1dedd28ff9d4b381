/** The progress notifications of long calls, for clients that time out without one. */
// tier: machine
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect } from "@std/expect";
import { executable, temporaryDirectory } from "../../support/executable.ts";
import { listen, Peer } from "../../support/mcp/peer.ts";
import { until } from "../../support/wait.ts";

/**
 * The time after which a client without a notification gives up. The server sends one every 5,000 ms,
 * and a busy machine may be late.
 */
const GIVE_UP_MS = 50_000;

/** The number of notifications after which a call may end. */
const ENOUGH = 4;

/** A progress notification that a client has received. */
interface Heard {
  progress: number;
  message?: string;
}

/**
 * Calls `Bash` with the official client, which gives up after `GIVE_UP_MS` without a notification. The
 * call ends after that time, and after `ENOUGH` notifications.
 */
async function longCall(
  how: "stdio" | "http",
  { pin, directory, command }: { pin: string | undefined; directory: string; command: string },
): Promise<{ text: string; heard: Heard[] }> {
  const client = new Client({ name: "test", version: "1" }, {
    versionNegotiation: { mode: pin === undefined ? "legacy" : { pin } },
  });
  const flags = ["-A", `--state-dir=${directory}/state`];
  await using server = how === "http" ? await listen(flags, { cwd: directory }) : undefined;
  await client.connect(
    server === undefined
      ? new StdioClientTransport({ command: executable, args: ["mcp", ...flags], cwd: directory })
      : new StreamableHTTPClientTransport(new URL(server.url)),
  );
  const heard: Heard[] = [];
  try {
    const go = `${directory}/${crypto.randomUUID()}`;
    const waiting = `${command}until [ -e ${go} ]; do sleep 0.1; done; echo end`;
    const call = { name: "Bash", arguments: { command: waiting } };
    const begin = performance.now();
    const answer = client.callTool(call, {
      timeout: GIVE_UP_MS,
      resetTimeoutOnProgress: true,
      onprogress: (progress) => void heard.push(progress as Heard),
    });
    let hasFailed = false;
    answer.catch(() => hasFailed = true);
    const isLong = () => performance.now() - begin > GIVE_UP_MS && heard.length >= ENOUGH;
    await until(() => hasFailed || isLong());
    Deno.writeTextFileSync(go, "");
    const { content } = await answer;
    return { text: (content as { text: string }[])[0]!.text, heard };
  } finally {
    await client.close();
  }
}

Deno.test("mcp progress > a long call sends notifications, so that a client does not time out", async (t) => {
  using directory = temporaryDirectory();
  const ways: ["stdio" | "http", string | undefined][] = [
    ["stdio", undefined],
    ["stdio", "2026-07-28"],
    ["http", undefined],
    ["http", "2026-07-28"],
  ];
  const [silent, printing] = ["", "echo first; echo last; "];
  // All calls run at the same time, because they only wait.
  const calls = ways.flatMap(([how, pin]) =>
    [silent, printing].map((command) => ({
      name: `${how} ${pin ?? "legacy"}, ${command === "" ? "no output" : "two lines of output"}`,
      command,
      ended: longCall(how, { pin, directory: directory.path, command }),
    }))
  );
  const results = await Promise.allSettled(calls.map(({ ended }) => ended));
  for (const [at, { name, command }] of calls.entries()) {
    await t.step(name, () => {
      const result = results[at]!;
      if (result.status === "rejected") throw result.reason;
      const { text, heard } = result.value;
      expect(text).toContain("end");
      expect(heard.length).toBeGreaterThanOrEqual(ENOUGH);
      const numbers = heard.map(({ progress }) => progress);
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
      expect(new Set(numbers).size).toBe(numbers.length);
      for (const { message } of heard) {
        if (command === printing) expect(message).toMatch(/^(last|end)$/);
        else expect(message).toMatch(/^Bash: \d+ s$/);
      }
    });
  }
});

Deno.test("mcp progress > a call sends at most one notification in five seconds, and only for a progress token", async () => {
  using directory = temporaryDirectory();
  await using peer = Peer.start(["-A", `--state-dir=${directory.path}/state`], {
    cwd: directory.path,
  });
  await peer.initialize();
  const command = "until [ -e go ]; do sleep 0.1; done";
  const call = { name: "Bash", arguments: { command } };
  const notifications = () =>
    peer.unasked.filter(({ method }) => method === "notifications/progress")
      .map(({ params }) => params as { progressToken: string; progress: number; message: string });
  const answers = [
    peer.request("tools/call", { ...call, _meta: { progressToken: "asked" } }),
    peer.request("tools/call", call),
  ];
  expect(await until(() => notifications().length >= 3)).toBe(true);
  Deno.writeTextFileSync(`${directory.path}/go`, "");
  for (const { result } of await Promise.all(answers)) expect(result.isError).toBe(false);
  for (const [at, { progressToken, progress, message }] of notifications().entries()) {
    expect([progressToken, progress]).toEqual(["asked", at + 1]);
    expect(Number(/^Bash: (\d+) s$/.exec(message)![1])).toBeGreaterThanOrEqual(5 * (at + 1));
  }
});
