/** Writes the table and the chart of a run into `docs/bench`. */
import { drawChart } from "./chart.ts";
import type { Machine } from "./machine.ts";
import type { Result } from "./rows.ts";
import { markdownTable } from "./table.ts";

const directory = new URL("../../docs/bench/", import.meta.url);

/** The table of the last run stands between these lines of `docs/bench/README.md`. */
const [BEGIN, END] = ["<!-- The bench writes this table. -->", "<!-- The end of the table. -->"];

/** Writes `docs/bench/chart.svg`, and the table in `docs/bench/README.md`. */
export async function writePages(results: readonly Result[], machine: Machine): Promise<void> {
  Deno.writeTextFileSync(new URL("chart.svg", directory), drawChart(results, machine));
  const page = new URL("README.md", directory);
  const text = Deno.readTextFileSync(page);
  Deno.writeTextFileSync(page, withTable(text, markdownTable(results, machine)));
  await new Deno.Command(Deno.execPath(), { args: ["fmt", "--quiet", "docs/bench/README.md"] })
    .output();
}

/** A page with another table. Throws an `Error` if the page has no place for it. */
export function withTable(page: string, table: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`docs/bench/README.md lacks the line ${BEGIN}`);
  return `${page.slice(0, begin)}${BEGIN}\n\n${table}\n\n${page.slice(end)}`;
}
