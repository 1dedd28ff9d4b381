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
  ["an empty string", "", false],
  ["the greatest depth of arrays", closed(MAX_DEPTH), false],
  ["one array more than the limit", closed(MAX_DEPTH + 1), true],
  ["an unclosed array beyond the limit", open(MAX_DEPTH + 1), true],
  ["the greatest depth of objects", objects(MAX_DEPTH), false],
  ["one object more than the limit", objects(MAX_DEPTH + 1), true],
  ["arrays and objects in turn beyond the limit", '[{"a":'.repeat(MAX_DEPTH), true],
  ["a long list of empty arrays and objects", `[${"[],{},".repeat(MAX_DEPTH)}[]]`, false],
  ["a string of brackets", JSON.stringify(open(10 * MAX_DEPTH)), false],
  ["a string of brackets after an escaped quote", `["\\"${open(10 * MAX_DEPTH)}"]`, false],
  [
    "an unclosed array after a string that ends with a backslash",
    `["\\\\",${open(10 * MAX_DEPTH)}`,
    true,
  ],
  ["a key of brackets", `{"${open(10 * MAX_DEPTH)}":1}`, false],
  ["an unclosed string of brackets", `"${open(10 * MAX_DEPTH)}`, false],
  ["a string of backslashes", JSON.stringify("\\".repeat(10 * MAX_DEPTH)) + open(1), false],
];

for (const [name, text, isDeep] of texts) {
  Deno.test(`json depth > ${name} ${isDeep ? "is nested too deep" : "is accepted"}`, () => {
    expect(excessOf(text)).toBe(isDeep ? `is nested deeper than ${MAX_DEPTH} levels` : undefined);
  });
}

const many = (values: number) => `[${"1,".repeat(values - 2)}1]`;
const lists: [name: string, text: string, isMany: boolean][] = [
  ["the greatest number of values", many(MAX_VALUES), false],
  ["one value more than the limit", many(MAX_VALUES + 1), true],
  ["a long list of objects", `[${"{},".repeat(MAX_VALUES / 2)}{}]`, true],
  ["an object of too many keys", `{${'"k":1,'.repeat(MAX_VALUES)}"k":1}`, true],
  ["a string of commas", JSON.stringify(",".repeat(2 * MAX_VALUES)), false],
];

for (const [name, text, isMany] of lists) {
  Deno.test(`json depth > ${name} ${isMany ? "has too many values" : "is accepted"}`, () => {
    expect(excessOf(text)).toBe(isMany ? `contains more than ${MAX_VALUES} values` : undefined);
  });
}

Deno.test("json depth > arguments of the greatest accepted depth reach the tool, in a call and over MCP", async () => {
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
