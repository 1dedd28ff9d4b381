/** Attack J1 of docs/attacks.md: nesting is limited before parsing, so it costs no memory. */
// tier: machine
import { expect } from "@std/expect";
import { executable, temporaryDirectory } from "../../../support/executable.ts";
import { listen, Peer } from "../../../support/mcp/peer.ts";

const MIB = 1024 * 1024;

/** The most memory that a process has used so far, in MiB; 0 when it has ended. */
function peakOf(pid: number): number {
  try {
    const status = Deno.readTextFileSync(`/proc/${pid}/status`);
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Documents of that size: one that is nested deep, one with many keys, and one long string. */
const documents = (bytes: number) => ({
  deep: new Uint8Array(bytes).fill(0x5b),
  wide: new TextEncoder().encode(
    `{"name":"none","arguments":{${'"k":{},'.repeat(bytes / 7 - 8)}"k":1}}`,
  ),
  flat: new TextEncoder().encode(`{"name":"none","arguments":{"a":"${"x".repeat(bytes - 64)}"}}`),
});

/** Deep nesting once took seven times the memory of another document. It may take 1.5 times. */
const MARGIN = 1.5;

Deno.test("json depth > J1 a call with 64 MiB of brackets or keys takes no more memory than another call of 64 MiB", async () => {
  const { deep, wide, flat } = documents(64 * MIB - 1);
  const peaks = [];
  const inputs = [[flat, "Unknown tool"], [deep, "nested deeper"], [wide, "values"]] as const;
  for (const [input, says] of inputs) {
    const child = new Deno.Command(executable, {
      ...{ args: ["-A"], stdin: "piped", stdout: "piped", stderr: "null" },
    }).spawn();
    let peak = 0;
    const timer = setInterval(() => peak = Math.max(peak, peakOf(child.pid)), 10);
    const output = child.output();
    const writer = child.stdin.getWriter();
    await writer.write(input);
    await writer.close();
    const { stdout } = await output;
    clearInterval(timer);
    expect(new TextDecoder().decode(stdout)).toContain(says);
    peaks.push(peak);
  }
  const [ofFlat, ofDeep, ofWide] = peaks as [number, number, number];
  for (const peak of [ofDeep, ofWide]) {
    expect(peak).toBeGreaterThan(0);
    expect(peak).toBeLessThan(MARGIN * ofFlat);
  }
});

Deno.test("json depth > an MCP server takes no more memory for 64 MiB of brackets than for another line", async () => {
  using directory = temporaryDirectory();
  const { deep, flat } = documents(64 * MIB - 1);
  const peaks = [];
  for (const line of [flat, deep]) {
    await using peer = Peer.start(["-A", `--state-dir=${directory.path}`]);
    await peer.initialize();
    await peer.write(new TextDecoder().decode(line) + "\n");
    // Requests are answered in order, so the line is handled by then.
    await peer.request("tools/list");
    expect(peer.unasked.some(({ error }) => error !== undefined)).toBe(true);
    peaks.push(peakOf(peer.process.pid));
  }
  const [ofFlat, ofDeep] = peaks as [number, number];
  expect(ofDeep).toBeLessThan(MARGIN * ofFlat);
});

Deno.test("json depth > a server over HTTP takes no more memory for 16 MiB of brackets than for another body", async () => {
  using directory = temporaryDirectory();
  const { deep, flat } = documents(16 * MIB - 1);
  const peaks = [];
  for (const body of [flat, deep]) {
    await using server = await listen(["-A", `--state-dir=${directory.path}`]);
    const answers = await Promise.all(Array.from({ length: 4 }, async () => {
      const headers = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      };
      const response = await fetch(server.url, { method: "POST", headers, body });
      await response.text();
      return response.status;
    }));
    expect(answers).toEqual([400, 400, 400, 400]);
    peaks.push(peakOf(server.process.pid));
  }
  const [ofFlat, ofDeep] = peaks as [number, number];
  expect(ofDeep).toBeLessThan(MARGIN * ofFlat);
});
