/** The table, the chart and the pages, from fixed figures. */
import { Parser } from "htmlparser2";
import { expect } from "@std/expect";
import { compareTimes } from "../../../../scripts/bench/against.ts";
import { drawChart } from "../../../../scripts/bench/chart.ts";
import { withText } from "../../../../scripts/bench/pages.ts";
import { atLeast, atMost, type Result, type Row } from "../../../../scripts/bench/rows.ts";
import { markdownTable, textTable } from "../../../../scripts/bench/table.ts";

const machine = [["date", "2026-01-02"], ["cores", "2"], ["processor", "A & B"]] as const;
const spread = (median: number) => ({ median, low: median * 0.9, high: median * 1.1, count: 7 });
const row = (name: string, more: Partial<Row>): Row => ({
  ...{ name, group: "cold", of: `own ${name}`, to: "the floor" },
  ...more,
});

const results: Result[] = [
  {
    row: row("read", { target: atMost(1.2) }),
    ...{ ratio: spread(1.1), value: 22, base: 20, unit: "ms", isMet: true },
  },
  {
    row: row("bash", { target: atMost(1.8) }),
    ...{ ratio: spread(40), value: 800, base: 20, unit: "ms", isMet: false },
  },
  { row: row("grep", { target: atMost(1.9) }), ratio: { missing: "npm is not installed" } },
  {
    row: row("rate", { group: "resident", target: atLeast(100, "calls/s") }),
    ...{ ratio: spread(0.5), value: 50, base: 100, unit: "calls/s", isMet: false },
  },
];

Deno.test("bench > the table shows ratio, spread, count, figure and target", () => {
  const lines = textTable(results).split("\n").map((line) => line.trim().split(/ {2,}/));
  expect(lines.find(([name]) => name === "read")).toEqual(
    ["read", "own read", "the floor", "1.10", "0.99 to 1.21", "7", "22.0 ms", "≤ 1.2: met"],
  );
  expect(lines.find(([name]) => name === "rate")?.at(-1)).toBe("≥ 100 calls/s: not met");
});

Deno.test("bench > the table names the missing program instead of a number", () => {
  const line = textTable(results).split("\n").find((each) => each.includes("own grep"))!;
  expect(line.trim()).toMatch(/^grep +own grep +the floor +npm is not installed$/);
  const cells = markdownTable(results, machine).split("\n").find((each) =>
    each.includes("own grep")
  );
  expect(cells).toBe("| `grep` | own grep | the floor | npm is not installed |  |  |  |  |");
});

Deno.test("bench > a name with a vertical bar stays in its column", () => {
  const [first] = results;
  const piped = { ...first!, row: { ...first!.row, to: "gzip -dc | tar x" } };
  const line = markdownTable([piped], machine).split("\n").find((each) => each.includes("gzip"))!;
  expect(line.split(/(?<!\\)\|/)).toHaveLength(10);
});

Deno.test("bench > the chart is well-formed, and has a bar and a target for each figure", () => {
  const svg = drawChart(results, machine);
  const open: string[] = [];
  const parser = new Parser({
    onopentag: (name) => open.push(name),
    onclosetag: (name) => expect(open.pop()).toBe(name),
    onerror: (error) => {
      throw error;
    },
  }, { xmlMode: true });
  parser.end(svg);
  expect(open).toEqual([]);
  // The legend has one bar of each kind, and one mark.
  expect(svg.match(/class="met"/g)).toHaveLength(2);
  expect(svg.match(/class="missed"/g)).toHaveLength(3);
  expect(svg.match(/class="target" stroke-width/g)).toHaveLength(4);
  expect(svg).toContain("A &amp; B");
  expect(svg).toContain(">npm is not installed</text>");
  expect(svg).not.toMatch(/NaN|undefined|Infinity/);
});

Deno.test("bench > the chart says in words whether a target is met, and has colors for dark pages", () => {
  const svg = drawChart(results, machine);
  expect(svg).toContain(">≤ 1.2, met</text>");
  expect(svg).toContain(">≤ 1.8, not met</text>");
  expect(svg).toContain("prefers-color-scheme:dark");
});

Deno.test("bench > a bar that is too long for its panel is cut, and keeps its figure", () => {
  const svg = drawChart(results, machine);
  const lengths = [...svg.matchAll(/class="m\w+" d="M(\d+) \d+H([\d.]+)/g)]
    .map(([, start, end]) => Number(end) - Number(start));
  expect(lengths).toHaveLength(3);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(316);
  expect(svg).toContain(">40.0</text>");
});

Deno.test("bench > a new table replaces the old one in the page", () => {
  const page = (table: string) =>
    `# Page\n\n<!-- The bench writes this table. -->\n\n${table}\n\n<!-- The end of the table. -->\nEnd\n`;
  expect(withText(page("old"), "new")).toBe(page("new"));
  expect(() => withText("# Page\n", "new")).toThrow("lacks the line");
});

for (
  const { startsPrograms, now, isWithin } of [
    { startsPrograms: false, now: 42, isWithin: true },
    { startsPrograms: false, now: 42.1, isWithin: false },
    { startsPrograms: true, now: 45, isWithin: true },
    { startsPrograms: true, now: 45.1, isWithin: false },
  ]
) {
  const kind = startsPrograms ? "that starts programs" : "";
  Deno.test(`bench > ${now} ms are ${isWithin ? "within" : "over"} the limit of 40 ms ${kind}`, () => {
    const compared = compareTimes({
      ...{ label: "Read", startsPrograms },
      ...{ now: [now, now, 90], before: [40, 40, 80] },
    });
    expect(compared.isWithin).toBe(isWithin);
    expect(compared.line).toContain(isWithin ? "within" : "over");
  });
}
