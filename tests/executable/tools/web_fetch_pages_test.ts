/** Pages of odd markup, as WebFetch returns them. */
// tier: machine
import { expect } from "@std/expect";
import { site, typed } from "./web_fetch_site.ts";

Deno.test("web fetch > a page without an article is returned whole, whatever its markup", async () => {
  const pages: [html: string, expected: string][] = [
    ["<p>short</p>", "short"],
    ["no tags at all", "no tags at all"],
    ["<ul><li>one<li>two</ul>", "two"],
    ["<body><h1>Head</h1>text", "# Head\n\ntext"],
    ["<table><tr><td><table><tr><td>inner</td></tr></table></td></tr></table>", "inner"],
    ["<table><tr></tr></table>after", "after"],
    ["<frameset><frame src=x></frameset>", "contains no text"],
    ["", "contains no text"],
    ["<html><head><title>T</title></head></html>", "Title: T"],
    ["<svg><text>drawn</text></svg><p>seen", "seen"],
    ["<p>a &amp; b &lt;c&gt; &#x41;</p>", "a & b <c> A"],
    ["<base href='http://other.example/x/'><a href='y'>z</a>", "[z](http://other.example/x/y)"],
    ["<a href='javascript:alert(1)'>bad</a> <a href='::'>odd</a>", "bad"],
    [`${"<b>".repeat(600)}deep`, "deep"],
    ["\u0000<p>nul</p>", "Cannot show"],
  ];
  await using here = site((path) => typed("text/html", pages[Number(path.slice(1))]![0]));
  const results = await here.fetchAll(pages.length);
  for (const [at, [html, expected]] of pages.entries()) {
    const { text } = results[at]!;
    expect({ html: html.slice(0, 80), has: text.includes(expected) ? expected : text })
      .toEqual({ html: html.slice(0, 80), has: expected });
  }
});
