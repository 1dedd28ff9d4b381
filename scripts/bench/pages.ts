/** Writes the table and the chart of a run into `docs/bench`, and three figures into the README. */
import { drawChart } from "./chart.ts";
import type { Machine } from "./machine.ts";
import type { Result } from "./rows.ts";
import { markdownTable } from "./table.ts";

const root = new URL("../../", import.meta.url);
const directory = new URL("docs/bench/", root);

/** The lines of a page between which the bench writes. */
type Place = readonly [begin: string, end: string];

/** The place of the table in `docs/bench/README.md`. */
const TABLE: Place = ["<!-- The bench writes this table. -->", "<!-- The end of the table. -->"];
/** The place of the figures in `README.md`. */
const FIGURES: Place = [
  '<!-- These figures are written by "deno task bench". -->',
  "<!-- The end of the figures. -->",
];

/** Writes `docs/bench/chart.svg`, the table in `docs/bench/README.md`, and the README's figures. */
export async function writePages(results: readonly Result[], machine: Machine): Promise<void> {
  Deno.writeTextFileSync(new URL("chart.svg", directory), drawChart(results, machine));
  const pages: [page: URL, place: Place, text: string][] = [
    [new URL("README.md", directory), TABLE, markdownTable(results, machine)],
    [new URL("README.md", root), FIGURES, figureList(results)],
  ];
  for (const [page, place, text] of pages) {
    Deno.writeTextFileSync(page, withText(Deno.readTextFileSync(page), text, place));
  }
  await new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--quiet", "docs/bench/README.md", "README.md"],
    cwd: root,
  }).output();
}

/** Replaces the text in one place of a page. Throws an `Error` if the page has no such place. */
export function withText(page: string, text: string, [first, last]: Place = TABLE): string {
  const [begin, end] = [page.indexOf(first), page.indexOf(last)];
  if (begin < 0 || end < begin) throw new Error(`The page lacks the line ${first}`);
  return `${page.slice(0, begin)}${first}\n\n${text}\n\n${page.slice(end)}`;
}

/** The figures of the README: the name of a row, and a sentence with its ratio and its own figure. */
const SENTENCES: readonly [row: string, sentence: (ratio: string, value: number) => string][] = [
  [
    "read-scoped",
    (ratio, value) =>
      `One call of \`Read\` in its own process takes ${
        Math.round(value)
      } ms. That is **${ratio} ×** ` +
      "the time of a bare `deno run` of a program that prints one word.",
  ],
  [
    "read",
    (ratio, value) =>
      `\`toolcall mcp\` answers ${
        Math.round(value / 100) * 100
      } calls of \`Read\` a second, one after ` +
      `the other: **${ratio} ×** as many as the reference filesystem server on Node.js.`,
  ],
  [
    "grep-tree",
    (ratio) =>
      `\`Grep\` in 21,000 files takes **${ratio} ×** the time of \`rg\`, besides its start. It runs in ` +
      "the sandbox.",
  ],
];

/** The README's figures as a list in Markdown. */
export function figureList(results: readonly Result[]): string {
  return SENTENCES.flatMap(([name, sentence]) => {
    const found = results.find(({ row }) => row.name === name);
    if (found === undefined || "missing" in found.ratio || found.value === undefined) return [];
    return [`- ${sentence(found.ratio.median.toFixed(2), found.value)}`];
  }).join("\n");
}
