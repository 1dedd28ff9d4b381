import { expect } from "@std/expect";
import { layOutPage } from "../../../../../src/toolkit/web/page/layout.ts";
import { readablePage } from "../../../../../src/toolkit/web/page/readable.ts";

const PAGE_URL = "http://site.example/";
const render = (html: string, signal = new AbortController().signal) =>
  readablePage(html, { url: PAGE_URL, signal });

const PRODUCTS = Array.from(
  { length: 40 },
  (_, at) => `<li><a href="/${at}">Product ${at}</a></li>`,
);
/** The layout takes minutes, because an expression of the library is quadratic in the spaces. */
const SLOW = `<table><tr><td>${"\u00a0".repeat(1e6)}x</td></tr></table>`;

const INTRO = `<p>${"Here are the things that we make, and have made for long. ".repeat(2)}</p>`;

Deno.test("readable > the result has the text that a browser shows, and nothing else", async () => {
  const pages: [html: string, text: string, title?: string][] = [
    [
      "<!doctype html><html><head><title>t</title></head><h1>Head</h1><p>words</html>",
      "## Head\n\nwords",
      "t",
    ],
    ["<html><p>hi", "hi"],
    ["<!-- <html > --><p>hello", "hello"],
    ["<title>t</title><p>words", "words", "t"],
    ["<head><title>t</title><body><p>words", "words", "t"],
    ["<html><body><p>one</body></html><p>two", "one\n\ntwo"],
    [`${"<!-- -->".repeat(600)}<p>words`, "words"],
    [`<svg>${"<path d='x'/>".repeat(600)}</svg><p>words`, "words"],
    ["<svg/>after", "after"],
    ["<noscript><p>Turn <b>it</b> on</p></noscript>", "Turn **it** on"],
    ["<noscript>off</noscript><p>words", "words"],
    ["<nav>ways</nav><p>words</p><footer>mine</footer>", "words"],
    ["<nav>ways</nav>", "ways"],
    ["<ol start=3><li>a</li><li>b</li></ol>", "3.  a\n4.  b"],
    ["<table><tr><th>a<th>b<tr><td><ul><li>c<li>d</ul><td>e</table>", "| - c - d | e |"],
    ["<pre>npm install my_pkg</pre>", "```\nnpm install my_pkg\n```"],
    [
      '<div class="highlight-python3 x"><div class="highlight"><pre><span>def</span> __init__:' +
      "<br>  pass</pre></div></div>",
      "```python3\ndef __init__:\n  pass\n```",
    ],
    ['<pre><code class="language-sh">a_b\n```\n</code></pre>', "````sh\na_b\n```\n````"],
    ["<pre><div>one</div><div>two</div></pre>", "```\none\ntwo\n```"],
    [
      '<pre><code class="language-js mjs">import a;</code><code class="language-js cjs">const a;</code></pre>',
      "```js\nimport a;\n```\n\n```js\nconst a;\n```",
    ],
    ["<pre><code>one</code>\n<code>two</code></pre>", "```\none\ntwo\n```"],
    ["<pre>$ <code>one</code><code>two</code></pre>", "```\n$ onetwo\n```"],
    [
      '<h2>1. Copyright<a class="headerlink" href="#c" title="Permalink to this heading">¶</a></h2>',
      "## 1. Copyright",
    ],
    [
      '<h3>Process<span><a class="mark" href="#p">#</a></span><a href="#q"></a></h3>',
      "### Process",
    ],
    ['<dl><dt>open(x)<a href="#o">🔗</a></dt><dd>opens</dd></dl>', "open(x)\n\nopens"],
    ['<h2><a href="#c">Copyright</a></h2>', "## [Copyright](http://site.example/#c)"],
    ['<p>see <a href="#">#</a></p>', "see [#](http://site.example/#)"],
    [
      '<h2>C<a href="http://c.example/"><img src="/i.png"></a></h2>',
      "![](http://site.example/i.png)",
    ],
    ["<hr><div><hr></div><p>one</p><hr><hr><p>two</p><hr><div><hr></div>", "one\n\n* * *\n\ntwo"],
  ];
  for (const [html, text, title] of pages) {
    // A Worker for each page would take most of the time, so only pages with a title get one.
    const found = title === undefined
      ? { notes: [], ...layOutPage(html, PAGE_URL) }
      : await render(html);
    const words = found.text.replace(/- {3}/g, "- ");
    expect({ html, ...found, text: words.includes(text) ? text : words })
      .toEqual({ html, text, notes: [], ...(title !== undefined && { title }) });
  }
});

Deno.test("readable > only characters that are marks in Markdown are escaped", async () => {
  const texts: [html: string, markdown: string][] = [
    [
      "--color and -c, my_name, __init__.py and a[0]",
      "--color and -c, my_name, __init__.py and a[0]",
    ],
    ["Vec&lt;T&gt; and &gt;&gt;&gt; x", "Vec<T> and >>> x"],
    ["&gt; quoted", "\\> quoted"],
    ["- no item", "\\- no item"],
    ["+ no item", "\\+ no item"],
    ["1. no item", "1\\. no item"],
    ["2024. Then", "2024\\. Then"],
    ["1.5 times", "1.5 times"],
    ["# no heading", "\\# no heading"],
    ["#hash", "#hash"],
    ["a * b *c*", "a \\* b \\*c\\*"],
    ["`code`", "\\`code\\`"],
    ["[text](url) and [x] done", "\\[text](url) and [x] done"],
    ["C:\\dir \\*", "C:\\dir \\\\\\*"],
  ];
  // One page has all of them, because each page needs a Worker.
  const { text } = await render(texts.map(([html]) => `<p>${html}</p>`).join(""));
  const found = text.split("\n\n");
  expect(texts.map(([html], at) => [html, found[at]])).toEqual(texts);
  expect(found.length).toBe(texts.length);
  expect((await render("<h2>1. One</h2><p>--x</p>")).text).toBe("## 1. One\n\n--x");
});

Deno.test("readable > a long list after an introduction is kept", async () => {
  const { text } = await render(
    `<title>Shop</title><nav>Other shops</nav>${INTRO}${INTRO}<ul>${PRODUCTS.join("")}</ul>`,
  );
  expect(text.match(/\[Product \d+\]/g)?.length).toBe(40);
  expect(text).not.toContain("Other shops");
});

Deno.test("readable > a page that cannot be rendered becomes plain text with the reason", async () => {
  const pages: [html: string, why: string][] = [
    ["<div></x>".repeat(2000), "Its elements are nested 2,001 deep"],
    ["<div>".repeat(40_000), "Its elements are nested 40,001 deep"],
    ["<div></x>".repeat(100_000), "It has 100,001 elements"],
    ["<p><a>".repeat(60_000), "It has 120,001 elements"],
    ["<br>".repeat(500_000), "It has 500,001 elements"],
    ["x".repeat(3_100_000), "It is 3,100,023 characters of HTML"],
    ["<button>Press</button>".repeat(3), "Its layout is empty"],
  ];
  for (const [html, why] of pages) {
    const { text, notes, title } = await render(
      `<title>t</title>${html}${why.includes("empty") ? "<button>" : ""}the end`,
    );
    expect({ notes, title, end: text.slice(-7) }).toEqual({
      notes: [`${why}, so this is its plain text without layout`],
      title: "t",
      end: "the end",
    });
  }
});

Deno.test("readable > a signal ends the rendering", async () => {
  // A timer as in a real call. The result does not depend on how far the rendering is by then.
  const signal = AbortSignal.timeout(500);
  await expect(render(SLOW, signal)).rejects.toThrow("due to timeout");
  // The limit of ten seconds would give plain text instead of an error.
  expect(signal.aborted).toBe(true);
});
