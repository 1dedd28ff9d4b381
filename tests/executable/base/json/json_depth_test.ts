/** Attack J1 of docs/attacks.md: nesting is limited before parsing, so it costs no memory. */
import { expect } from "@std/expect";
import { excessOf, MAX_DEPTH, MAX_VALUES } from "../../../../src/base/json/exact_json.ts";
import { executable, temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { listen, Peer } from "../../../support/mcp/peer.ts";

const MIB = 1024 * 1024;

const open = (levels: number) => "[".repeat(levels);
const closed = (levels: number) => `${open(levels)}${"]".repeat(levels)}`;
const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

const texts: [name: string, text: string, isDeep: boolean][] = [
  ["nothing", "", false],
  ["as many arrays as are read", closed(MAX_DEPTH), false],
  ["one more", closed(MAX_DEPTH + 1), true],
  ["one more that are not closed", open(MAX_DEPTH + 1), true],
  ["as many objects", objects(MAX_DEPTH), false],
  ["one more object", objects(MAX_DEPTH + 1), true],
  ["both in turn", '[{"a":'.repeat(MAX_DEPTH), true],
  ["many beside each other", `[${"[],{},".repeat(MAX_DEPTH)}[]]`, false],
  ["brackets in a text", JSON.stringify(open(10 * MAX_DEPTH)), false],
  ["brackets behind a quote that is escaped", `["\\"${open(10 * MAX_DEPTH)}"]`, false],
  ["brackets behind an escaped backslash and a quote", `["\\\\",${open(10 * MAX_DEPTH)}`, true],
  ["brackets in a key", `{"${open(10 * MAX_DEPTH)}":1}`, false],
  ["a text without an end", `"${open(10 * MAX_DEPTH)}`, false],
  ["backslashes", JSON.stringify("\\".repeat(10 * MAX_DEPTH)) + open(1), false],
];

for (const [name, text, isDeep] of texts) {
  Deno.test(`json depth > ${name} ${isDeep ? "lies too deep" : "is read"}`, () => {
    expect(excessOf(text)).toBe(isDeep ? `is nested deeper than ${MAX_DEPTH} levels` : undefined);
  });
}

const many = (values: number) => `[${"1,".repeat(values - 2)}1]`;
const lists: [name: string, text: string, isMany: boolean][] = [
  ["as many values as are read", many(MAX_VALUES), false],
  ["one more", many(MAX_VALUES + 1), true],
  ["objects in each other's place", `[${"{},".repeat(MAX_VALUES / 2)}{}]`, true],
  ["keys", `{${'"k":1,'.repeat(MAX_VALUES)}"k":1}`, true],
  ["commas in a text", JSON.stringify(",".repeat(2 * MAX_VALUES)), false],
];

for (const [name, text, isMany] of lists) {
  Deno.test(`json depth > ${name} ${isMany ? "are too many values" : "are read"}`, () => {
    expect(excessOf(text)).toBe(isMany ? `contains more than ${MAX_VALUES} values` : undefined);
  });
}

Deno.test("json depth > arguments as deep as is read reach the tool, as a call and over MCP", async () => {
  const levels = MAX_DEPTH - 2;
  const stdin = `{"name":"fs.list","arguments":{"path":${closed(levels)}}}`;
  expect((await toolcall(["-A"], { stdin })).code).toBe(5);
  using directory = temporaryDirectory();
  await using peer = Peer.start(["-A", `--state-dir=${directory.path}`]);
  await peer.initialize();
  const answer = peer.answer("deep");
  const params = `{"name":"fs.list","arguments":{"path":${closed(levels - 1)}}}`;
  await peer.write(`{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":${params}}\n`);
  expect((await answer).result.isError).toBe(true);
});

/** The most memory that a process has used so far, in MiB; 0 when it has ended. */
function peakOf(pid: number): number {
  try {
    const status = Deno.readTextFileSync(`/proc/${pid}/status`);
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** A document of that size which nests deeply, and one that does not. */
const documents = (bytes: number) => ({
  deep: new Uint8Array(bytes).fill(0x5b),
  wide: new TextEncoder().encode(
    `{"name":"none","arguments":{${'"k":{},'.repeat(bytes / 7 - 8)}"k":1}}`,
  ),
  flat: new TextEncoder().encode(`{"name":"none","arguments":{"a":"${"x".repeat(bytes - 64)}"}}`),
});

/** Deep nesting took seven times the memory of another document; it may take a half more now. */
const MARGIN = 1.5;

Deno.test("json depth > J1 64 MiB of brackets or of keys take no more memory than another call of 64 MiB", async () => {
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

Deno.test("json depth > a line of 64 MiB of brackets takes an MCP server no more memory than another", async () => {
  using directory = temporaryDirectory();
  const { deep, flat } = documents(64 * MIB - 1);
  const peaks = [];
  for (const line of [flat, deep]) {
    await using peer = Peer.start(["-A", `--state-dir=${directory.path}`]);
    await peer.initialize();
    await peer.write(new TextDecoder().decode(line) + "\n");
    // Requests are answered in order, so the line is dealt with by then.
    await peer.request("tools/list");
    expect(peer.unasked.some(({ error }) => error !== undefined)).toBe(true);
    peaks.push(peakOf(peer.process.pid));
  }
  const [ofFlat, ofDeep] = peaks as [number, number];
  expect(ofDeep).toBeLessThan(MARGIN * ofFlat);
});

Deno.test("json depth > bodies of 16 MiB of brackets take a server over HTTP no more memory than others", async () => {
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
