/** The beat of calls that take long, for clients that give up on a silent one. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect } from "@std/expect";
import { executable, temporaryDirectory } from "../../support/executable.ts";
import { listen, Peer } from "../../support/mcp/peer.ts";

/** How long a call runs, longer than {@link GIVE_UP_MS}; a beat comes every 5,000 ms. */
const [SECONDS, GIVE_UP_MS] = [31, 25_000];

/** A report of a call's progress that a client has received. */
interface Heard {
  progress: number;
  message?: string;
}

/** Calls `Bash` by the official client, which gives up when it hears nothing for so long. */
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
    const call = { name: "Bash", arguments: { command } };
    const { content } = await client.callTool(call, {
      timeout: GIVE_UP_MS,
      resetTimeoutOnProgress: true,
      onprogress: (progress) => void heard.push(progress as Heard),
    });
    return { text: (content as { text: string }[])[0]!.text, heard };
  } finally {
    await client.close();
  }
}

Deno.test("mcp progress > a client that gives up on silence hears of a long call, by each way", async (t) => {
  using directory = temporaryDirectory();
  const ways: ["stdio" | "http", string | undefined][] = [
    ["stdio", undefined],
    ["stdio", "2026-07-28"],
    ["http", undefined],
    ["http", "2026-07-28"],
  ];
  const silent = `sleep ${SECONDS}; echo end`;
  const told = `echo first; echo last; sleep ${SECONDS}; echo end`;
  // All at the same time: nearly all of it is waiting.
  const calls = ways.flatMap(([how, pin]) =>
    [silent, told].map((command) => ({
      name: `${how} ${pin ?? "legacy"} ${command}`,
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
      // Six beats fit in; a busy machine may be late with the last.
      expect(heard.length).toBeGreaterThanOrEqual(4);
      const numbers = heard.map(({ progress }) => progress);
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
      expect(new Set(numbers).size).toBe(numbers.length);
      for (const { message } of heard) {
        if (command === told) expect(message).toMatch(/^(last|end)$/);
        else expect(message).toMatch(/^Bash: \d+ s$/);
      }
    });
  }
});

Deno.test("mcp progress > three beats are three notifications, and without a token there is none", async () => {
  using directory = temporaryDirectory();
  await using peer = Peer.start(["-A", `--state-dir=${directory.path}/state`], {
    cwd: directory.path,
  });
  await peer.initialize();
  const call = { name: "Bash", arguments: { command: "sleep 17" } };
  const begun = performance.now();
  const asked = peer.request("tools/call", { ...call, _meta: { progressToken: "asked" } })
    .then(() => Math.floor((performance.now() - begun) / 5_000));
  const quiet = await peer.request("tools/call", call);
  expect(quiet.result.isError).toBe(false);
  const beats = await asked;
  const told = peer.unasked.filter(({ method }) => method === "notifications/progress")
    .map(({ params }) => params as { progressToken: string; progress: number; message: string });
  // Three, but on a machine that was busy for seconds.
  expect(told.length === beats || told.length === beats - 1).toBe(true);
  expect(told.length).toBeGreaterThanOrEqual(2);
  for (const [at, { progressToken, progress, message }] of told.entries()) {
    expect([progressToken, progress]).toEqual(["asked", at + 1]);
    expect(Number(/^Bash: (\d+) s$/.exec(message)![1])).toBeGreaterThanOrEqual(5 * (at + 1));
  }
});
