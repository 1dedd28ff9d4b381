/** The layout of a page ends within its time limit of ten seconds. */
// tier: machine
import { expect } from "@std/expect";
import { layOutPage } from "../../../../../src/toolkit/web/page/layout.ts";
import { readablePage } from "../../../../../src/toolkit/web/page/readable.ts";
import { unitsOf } from "../../../../support/measure.ts";

const PAGE_URL = "http://site.example/";
const render = (html: string, signal = new AbortController().signal) =>
  readablePage(html, { url: PAGE_URL, signal });

/** The layout takes longer than the limit: an expression of the library is quadratic in the spaces. */
const SLOW = `<table><tr><td>${"\u00a0".repeat(190_000)}x</td></tr></table>`;

Deno.test("readable > large tables and lists are rendered in time", async () => {
  const rows = `<tr>${"<td>cell</td>".repeat(10)}</tr>`.repeat(2000);
  const pages: [html: string, end: string][] = [
    [`<table>${rows}</table><p>end`, "| cell |\n\nend"],
    [`<ol>${"<li>item</li>".repeat(20_000)}</ol>`, "20000.  item"],
  ];
  for (const [html, end] of pages) {
    let text = "";
    const units = await unitsOf(() => text = layOutPage(html, PAGE_URL).text);
    expect(text.slice(-end.length)).toBe(end);
    // This is the time limit of a page: ten seconds on a machine of 2024.
    expect(units).toBeLessThan(400);
  }
});

Deno.test("readable > a page that cannot be rendered in time becomes plain text with the reason", async () => {
  const { text, notes, title } = await render(`<title>t</title>${SLOW}the end`);
  expect({ notes, title, end: text.slice(-7) }).toEqual({
    notes: ["It takes more than 10 s to render, so this is its plain text without layout"],
    title: "t",
    end: "the end",
  });
});

Deno.test("readable > a page whose main part is not found in time is rendered as a whole", async () => {
  // An expression that looks for the main part is quadratic in this attribute.
  const slow = `<img src="/a.png" srcset="${"a".repeat(500_000)} b">`;
  const words = "<p>Some words of the page, and <b>more</b> of them, for a while.</p>".repeat(30);
  const page = `<title>t</title><nav>ways</nav><main><h1>Head</h1>${words}${slow}</main>end`;
  const { text, notes, title } = await render(page);
  expect({ title, notes, start: text.slice(0, 44) })
    .toEqual({ title: "t", notes: [], start: "# Head\n\nSome words of the page, and **more**" });
  expect(text).toContain("![](http://site.example/a.png)");
  expect(text).not.toContain("ways");
});
