import { expect } from "@std/expect";
import { call } from "../../support/executable.ts";
import { countingServer, endless } from "../../support/counting_server.ts";
import { submitCalls } from "./submitted_calls.ts";

/** A document, or the response that has it. */
type Document = BodyInit | ((host: string) => Response);

function responseOf(document: Document, host: string): Response {
  if (typeof document === "function") return document(host);
  return new Response(document, { headers: { "content-type": "application/xml" } });
}

/** Calls the tool for each document, in one process. In the results `$HOST` stands for the server. */
async function feeds(documents: readonly Document[]) {
  await using server = countingServer((path) => {
    const document = documents[Number(path.slice(1))];
    return document === undefined ? undefined : responseOf(document, server.host);
  });
  const calls = documents.map((_, at) => ({
    name: "rss_feed",
    arguments: { url: `http://${server.host}/${at}` },
  }));
  const results = await submitCalls(calls, { flags: [`--allow-net=${server.host}`] });
  return results.map((result) => ({
    ...result,
    text: result.text.replaceAll(server.host, "$HOST"),
  }));
}

/** Calls the tool for one document. In the result `$HOST` stands for the server. */
async function feed(document: Document, args: Record<string, unknown> = {}) {
  await using server = countingServer((path) =>
    path === "/feed" ? responseOf(document, server.host) : undefined
  );
  const result = await call("rss_feed", { url: `http://${server.host}/feed`, ...args }, {
    flags: [`--allow-net=${server.host}`],
  });
  return { ...result, text: result.text.replaceAll(server.host, "$HOST"), server };
}

const ATOM = `<?xml version="1.0"?>
<a:feed xmlns:a="http://www.w3.org/2005/Atom" xmlns="http://www.w3.org/1999/xhtml">
  <a:title>Rivers &amp; lakes</a:title><a:link rel="self" href="/self"/><a:link href="/site"/>
  <a:author><a:name>Not of the entry</a:name></a:author>
  <a:entry><a:title type="html">A &lt;i&gt;wide&lt;/i&gt; one</a:title>
    <a:link rel="edit" href="/edit"/><a:link rel="alternate" href="wide?a=1&amp;b=2"/>
    <a:id>urn:1</a:id><a:updated>2026-03-01T10:00:00+02:00</a:updated>
    <a:author><a:name>Ada</a:name></a:author>
    <a:content type="xhtml"><div><title>inner</title><p>O<b>n</b>e &lt;1&gt;.</p><p>Two.</p></div></a:content>
  </a:entry>
</a:feed>`;

const RDF = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
  xmlns="http://purl.org/rss/1.0/" xmlns:d="http://purl.org/dc/elements/1.1/">
  <channel rdf:about="x"><title>Old news</title><link>http://old.example/</link></channel>
  <image><title>A picture</title></image>
  <item rdf:about="y"><title>First</title><link>http://old.example/1</link>
    <d:creator>Bo</d:creator><d:date>2026-01-02</d:date></item>
</rdf:RDF>`;

const JSON_FEED = {
  version: "https://jsonfeed.org/version/1.1",
  title: "Rivers & lakes",
  home_page_url: "/site",
  items: [
    {
      id: "1",
      url: "wide?a=1&b=2",
      title: "A <wide> one",
      content_html: "<p>O<b>n</b>e &lt;1&gt;.</p><p>Two.</p>",
      date_published: "2026-03-01T10:00:00+02:00",
      authors: [{ name: "Ada" }, { name: "Bo" }],
    },
    { id: "http://old.example/2", content_text: "1 < 2\u001b[31m", date_modified: "2026-03-02" },
    { id: "3", summary: "Short", content_text: "Long", author: { name: "Old & wise" } },
    ...[null, 5, [], { title: 5, authors: "x", date_published: {} }],
  ],
};

Deno.test("rss feed > a JSON Feed is read as a feed", async () => {
  const json = (value: unknown) => new Response(JSON.stringify(value));
  const found = await feed(() => json(JSON_FEED));
  expect(found.text).toBe([
    "Feed: Rivers & lakes (JSON Feed 1.1)\nURL: http://$HOST/feed\nSite: http://$HOST/site\n4 items in it",
    "1. (without a title)\n   2026-03-02 00:00 UTC\n   http://old.example/2\n   1 < 2\\u001b[31m",
    "2. A <wide> one\n   2026-03-01 08:00 UTC, Ada\n   http://$HOST/wide?a=1&b=2\n   One <1>. Two.",
    "3. (without a title)\n   Old & wise\n   Short",
    "4. (without a title)",
  ].join("\n\n"));
  expect(found.server.requests[0]!.headers.get("accept")).toContain("application/feed+json");
  const since = await feed(() => json(JSON_FEED), { since: "2026-03-02" });
  expect(since.text).toContain("4 items in it, 1 since 2026-03-02 00:00 UTC");
  const none: [body: string, why: string][] = [
    ['{"version":"2","items":[]}', "it is JSON, but not a JSON Feed (no version or items)"],
    ['{"version":"https://jsonfeed.org/version/1"}', "it is JSON, but not a JSON Feed"],
    ["{", "it begins like JSON, but is not valid JSON"],
  ];
  for (const [body, why] of none) {
    const { text, exit } = await feed(() => new Response(body));
    expect({ body, exit }).toEqual({ body, exit: 1 });
    expect(text).toContain(`Cannot read "http://$HOST/feed" as a feed: ${why}`);
  }
});

Deno.test("rss feed > RSS 1.0, RSS 2.0 and Atom are read, whatever their prefixes", async () => {
  const atom = await feed(ATOM);
  expect(atom.text).toBe(
    "Feed: Rivers & lakes (Atom)\nURL: http://$HOST/feed\nSite: http://$HOST/site\n1 item in it\n\n" +
      "1. A wide one\n   2026-03-01 08:00 UTC, Ada\n   http://$HOST/wide?a=1&b=2\n   inner One <1>. Two.",
  );
  expect(atom.server.requests[0]!.headers.get("accept")).toContain("application/atom+xml");
  expect((await feed(RDF)).text).toBe(
    "Feed: Old news (RSS 1.0)\nURL: http://$HOST/feed\nSite: http://old.example/\n1 item in it\n\n" +
      "1. First\n   2026-01-02 00:00 UTC, Bo\n   http://old.example/1",
  );
});

const rss = (items: string, before = "") =>
  `${before}<rss version="2.0"><channel><title>T</title>${items}</channel></rss>`;

const dated = (date: string) => `<item><title>at ${date}</title><pubDate>${date}</pubDate></item>`;

Deno.test("rss feed > dates are parsed in each format, and the newest item is first", async () => {
  const dates: [given: string, shown: string][] = [
    ["2026-02-06T05:00:00.123-05:00", "2026-02-06 10:00 UTC"],
    ["Thu, 05 Feb 2026 10:00 EST", "2026-02-05 15:00 UTC"],
    ["4 Feb 26 23:59:59 +0030", "2026-02-04 23:29 UTC"],
    ["2026-02-03T10:00", "2026-02-03 10:00 UTC"],
    ["2026-02-02", "2026-02-02 00:00 UTC"],
    ["Sun, 31 Jan 1999", "1999-01-31 00:00 UTC"],
    ["31 Feb 2026 10:00 GMT", "31 Feb 2026 10:00 GMT"],
    ["yesterday", "yesterday"],
  ];
  const document = rss(dates.map(([given]) => dated(given)).reverse().join(""));
  const { text } = await feed(document);
  const shown = [...text.matchAll(/^\d+\. .*\n {3}(.*)$/gm)].map(([, line]) => line);
  expect(shown.slice(0, 6)).toEqual(dates.slice(0, 6).map(([, shown]) => shown));
  expect(shown.slice(6).sort()).toEqual(["31 Feb 2026 10:00 GMT", "yesterday"]);
  const late = await feed(document, { since: "2026-02-03T12:00:00+02:00", limit: 2 });
  expect(late.text).toContain("8 items in it, 4 since 2026-02-03 10:00 UTC");
  expect(late.text).toContain("[2 more items: to see them, give a larger limit]");
  expect(late.text).toContain("[2 items without a date omitted");
  const wrong = await feed(document, { since: "last week" });
  expect([wrong.exit, wrong.server.requests]).toEqual([1, []]);
  expect(wrong.text).toContain('Cannot read since "last week": give a date such as');
});

Deno.test("rss feed > old forms of feeds, invented namespaces and names in capitals are read", async () => {
  const xhtml = 'xmlns="http://www.w3.org/1999/xhtml"';
  const rows: [document: string, expected: string][] = [
    ['<feed xmlns="http://made.up/feed"><title>Own</title><entry/></feed>', "Feed: Own (Atom)"],
    ["<feed><title>Bare</title><entry><title>One</title></entry></feed>", "1. One"],
    [
      '<rss version="2.0" xmlns="http://made.up/rss"><channel><item><title>One</title></item></channel></rss>',
      "1. One",
    ],
    [
      '<r:rss xmlns:r="http://made.up/rss"><r:channel><r:item><r:title>One</r:title><x:title xmlns:x="urn:x">No</x:title></r:item></r:channel></r:rss>',
      "1. One",
    ],
    ["<RSS><Channel><TiTlE>Loud</TiTlE></Channel></RSS>", "Feed: Loud (RSS)"],
    [
      '<CHANNEL HREF="http://h.test/"><TITLE>Old</TITLE><ITEM HREF="/1" LASTMOD="2004-04-06T23:05-05:00"><TITLE>One</TITLE><ABSTRACT>Text</ABSTRACT></ITEM></CHANNEL>',
      "Feed: Old (CDF)\nURL: http://$HOST/5\nSite: http://h.test/\n1 item in it\n\n" +
      "1. One\n   2004-04-07 04:05 UTC\n   http://$HOST/1\n   Text",
    ],
    [rss(`<item><body ${xhtml}>a <b>bold</b> text</body></item>`), "\n   a bold text"],
    [
      '<feed xmlns="http://purl.org/atom/ns#"><entry><modified>2004-01-02</modified></entry></feed>',
      "2004-01-02 00:00 UTC",
    ],
    [
      rss('<item><d:issued xmlns:d="http://purl.org/dc/terms/">2004-01-03</d:issued></item>'),
      "2004-01-03 00:00 UTC",
    ],
    [
      '<feed xmlns="http://purl.org/atom/ns#"><title mode="base64"> PGI+RsO8bmY8L2I+ </title></feed>',
      "Feed: Fünf (Atom)",
    ],
    [
      '<feed xmlns="http://purl.org/atom/ns#"><title mode="escaped" type="text/html">a &lt;i&gt;b&lt;/i&gt;</title></feed>',
      "Feed: a b (Atom)",
    ],
    [
      `<feed xmlns="http://purl.org/atom/ns#"><title type="application/xhtml+xml"><div ${xhtml}>a<script>no()</script> b</div></title></feed>`,
      "Feed: a b (Atom)",
    ],
    [rss("<item><title>don&#146;t</title></item>"), "1. don’t"],
    [
      '<feed xmlns="http://www.w3.org/2005/Atom"><entry><source><link href="http://of.the/source"/></source><title>One</title><link rel="enclosure">http://a.test/e</link><link>http://a.test/1</link></entry></feed>',
      "1. One\n   http://a.test/1",
    ],
    [
      '<feed xmlns="http://www.w3.org/2005/Atom"><item><title>One</title><id>HTTP://a.test/1</id></item></feed>',
      "1. One\n   http://a.test/1",
    ],
    [
      rss(
        '<item><title>One</title><link href="http://a.test/1"/><link rel="enclosure" href="/e"/><updated>2026-01-02</updated><summary>Text</summary></item>',
      ),
      "1. One\n   2026-01-02 00:00 UTC\n   http://a.test/1\n   Text",
    ],
    [
      rss(
        "<item><title>One</title><id>http://a.test/1</id><published>2026-01-03</published></item>",
      ),
      "1. One\n   2026-01-03 00:00 UTC\n   http://a.test/1",
    ],
    [
      '<CHANNEL BASE="http://h.test/a/"><TITLE>Old</TITLE><ITEM HREF="b"><TITLE>One</TITLE></ITEM></CHANNEL>',
      "1. One\n   http://h.test/a/b",
    ],
    [
      '<feed xmlns:m="http://search.yahoo.com/mrss/" xmlns="http://www.w3.org/2005/Atom"><entry><m:group><m:title>Film</m:title><m:description>About it</m:description></m:group></entry></feed>',
      "1. Film\n   About it",
    ],
  ];
  const results = await feeds(rows.map(([document]) => document));
  for (const [at, [document, expected]] of rows.entries()) {
    const { text } = results[at]!;
    expect({ document, text: text.includes(expected) ? expected : text })
      .toEqual({ document, text: expected });
  }
});

Deno.test("rss feed > UTF-16 and UTF-32 are decoded, with and without a byte order mark", async () => {
  const text = '<?xml version="1.0"?><rss><channel><title>Größe 𝄞</title></channel></rss>';
  const units = (values: number[], set: "setUint16" | "setUint32", little: boolean) => {
    const size = set === "setUint16" ? 2 : 4;
    const view = new DataView(new ArrayBuffer(values.length * size));
    values.forEach((value, at) => view[set](at * size, value, little));
    return view.buffer;
  };
  const documents = ["", "\ufeff"].flatMap((mark) =>
    [true, false].flatMap((little) => [
      units((mark + text).split("").map((each) => each.charCodeAt(0)), "setUint16", little),
      units([...mark + text].map((each) => each.codePointAt(0)!), "setUint32", little),
    ])
  );
  for (const { text } of await feeds(documents)) expect(text).toContain("Feed: Größe 𝄞 (RSS)");
});

Deno.test("rss feed > links are relative to xml:base, which nests, in Atom and in RSS", async () => {
  const atom = (inner: string, base = 'xml:base="http://h.test/b/"') =>
    `<feed xmlns="http://www.w3.org/2005/Atom" ${base}><title>T</title>${inner}</feed>`;
  const link = (attributes = "", href = "rel/p") => `<link ${attributes} href="${href}"/>`;
  const entry = (inner: string, base = "") => `<entry ${base}>${inner}</entry>`;
  const rows: [document: string, expected: string][] = [
    [atom(link()), "Site: http://h.test/b/rel/p"],
    [atom(entry(link())), "\n   http://h.test/b/rel/p"],
    [atom(entry(link(), 'xml:base="../c/"')), "\n   http://h.test/c/rel/p"],
    [atom(entry(link('xml:base="/d/"'), 'xml:base="c/"')), "\n   http://h.test/d/rel/p"],
    [atom(entry(link(), 'xml:base="http://i.test"')), "\n   http://i.test/rel/p"],
    [atom(entry("", 'xml:base="/c/"') + entry(link())), "\n   http://h.test/b/rel/p"],
    [atom(entry(link("", "http://j.test/")), ""), "\n   http://j.test/"],
    [atom(entry(link()), 'xml:base="feeds/x"'), "\n   http://$HOST/feeds/rel/p"],
    [atom(entry(link()), 'xml:base="http://["'), "\n   http://$HOST/rel/p"],
    [
      rss("<item><link>rel/p</link></item>").replace("<rss", '<rss xml:base="http://h.test/b/"'),
      "\n   http://h.test/b/rel/p",
    ],
  ];
  const results = await feeds(rows.map(([document]) => document));
  for (const [at, [document, expected]] of rows.entries()) {
    const { text } = results[at]!;
    expect({ document, text: text.includes(expected) ? expected : text })
      .toEqual({ document, text: expected });
  }
});

Deno.test("rss feed > entities are not expanded, control characters are shown, and scripts are removed", async () => {
  const bomb = `<!DOCTYPE rss [<!ENTITY a "${"ha".repeat(50)}"><!ENTITY b "${"&a;".repeat(99)}">
    <!ENTITY c "${"&b;".repeat(99)}"><!ENTITY f SYSTEM "file:///etc/passwd">]>`;
  const documents: [document: string, expected: string, absent: string][] = [
    [rss("<item><title>&c;&f;</title></item>", bomb), "1. &c;&f;", "haha"],
    [
      rss("<item><title>\u202eevil &#27;[31m</title></item>"),
      "1. \\u202eevil \\u001b[31m",
      "\u202e",
    ],
    [rss("<item><title>two</title><title>titles</title></item>"), "1. two", "titles"],
    [rss("<item><title>open <b>not closed"), "1 item in it", "closed\n\n2."],
    [
      rss(`<item><description>${"x".repeat(9000)}</description></item>`),
      `${"x".repeat(500)}…`,
      "x".repeat(501),
    ],
    [rss("<item/>".repeat(10_001)), "[Only the first 10,000 items were read]", "10,001"],
    [
      rss("<item><description>&lt;script&gt;f()&lt;/script&gt;a&lt;br&gt;b</description></item>"),
      "a b",
      "f()",
    ],
    [rss("<image><title>logo</title><url>u</url></image>"), "0 items in it", "logo"],
  ];
  const results = await feeds(documents.map(([document]) => document));
  for (const [at, [, expected, absent]] of documents.entries()) {
    const { text, isError } = results[at]!;
    expect({ expected, isError, text: text.includes(expected) ? expected : text.slice(0, 500) })
      .toEqual({ expected, isError: false, text: expected });
    expect(text).not.toContain(absent);
  }
});

Deno.test("rss feed > a document that is not a feed is refused with advice", async () => {
  const page = `<!doctype html><html><link rel="alternate" type="application/rss+xml"
    href="/news?a=1&amp;b=2"></html>`;
  const documents: [document: Document, expected: string][] = [
    [page, 'it begins with <html>, and RSS and Atom do not; it names "http://$HOST/news?a=1&b=2"'],
    ["", "it contains no element"],
    ["no tag", "it contains no element"],
    ["<opml/>", "it begins with <opml>"],
    [rss("<a>".repeat(5000)), "its elements are nested more than 1000 deep"],
    [() => new Response("gone", { status: 410 }), "The server answered 410"],
    [() => Response.redirect("http://elsewhere.example/f"), "to another host: call again with url"],
    [() => Response.redirect("file:///etc/passwd"), "only http and https URLs are supported"],
  ];
  const results = await feeds(documents.map(([document]) => document));
  for (const [at, [, expected]] of documents.entries()) {
    const { text, exit } = results[at]!;
    expect({ expected, exit, text: text.includes(expected) ? expected : text })
      .toEqual({ expected, exit: 1, text: expected });
  }
});

Deno.test("rss feed > an endless feed is read up to the limit", async () => {
  await using server = countingServer((_, server) => {
    const chunk = new TextEncoder().encode(`${" ".repeat(65_000)}<x/>`);
    return new Response(endless(server, chunk));
  });
  const { text } = await call("rss_feed", { url: `http://${server.host}/` }, {
    flags: [`--allow-net=${server.host}`],
  });
  expect(text).toContain("it begins with <x>");
  expect(server.sent).toBeLessThan(40 * 1024 * 1024);
});

Deno.test("rss feed > this machine is reached only if a flag names it", async () => {
  await using server = countingServer(() => new Response(ATOM));
  const url = `http://${server.host}/`;
  for (const flags of [[], ["--allow-net"], ["-A"], ["--allow-net=rivers.example"]]) {
    expect((await call("rss_feed", { url }, { flags })).exit).toBe(6);
  }
  expect(server.requests).toEqual([]);
});
