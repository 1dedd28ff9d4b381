import { expect } from "@std/expect";
import { call, temporaryDirectory } from "../../support/executable.ts";
import { countingServer } from "../../support/counting_server.ts";

/** The result for a directory with these files. */
async function check(
  files: Record<string, string>,
  { flags, ...args }: {
    path?: string;
    limit?: number;
    fail_on_broken?: boolean;
    flags?: (directory: string) => string[];
  } = {},
) {
  using directory = temporaryDirectory();
  for (const [name, text] of Object.entries(files)) {
    const path = `${directory.path}/${name}`;
    Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    if (text.startsWith("-> ")) Deno.symlinkSync(text.slice(3), path);
    else Deno.writeTextFileSync(path, text);
  }
  const granted = flags?.(directory.path) ?? [`--allow-read=${directory.path}`];
  return await call("static_links", args, { flags: granted, cwd: directory.path });
}

const MARKDOWN = `---
title: "[not a link](front.md)"
---
# Über uns & *more*

## Twice
## Twice
Text [ok](b.md) and [gone](gone.md "title")
![pic](pic.png) [ref][one] <a href="gone.html">x</a>
[a](#über-uns--more) [b](#twice-1) [c](#twice-2) [d](b.md#over) [e](b.md#named)
[f](<with space.md>) [g](with%20space.md) [h](/sub/c.md) [i](sub/) [j](b.md?x=1#over)
[mail](mailto:a@b) [top](#top) [code line](b.ts#L10) [odd](%zz.md) \`[no](code.md)\`

\`\`\`
[no](fence.md)
\`\`\`

[one]: reference.md

<p id="block"><img src="block.png"></p>

[to block](#block) [proto](//cdn.example/x) [web](https://rivers.example/a)
`;

Deno.test("static links > broken files, anchors and references in Markdown and its HTML are found", async () => {
  const { text, isError } = await check({
    "a.md": MARKDOWN,
    "b.md": '# Over\n<a name="named"></a>',
    "b.ts": "",
    "with space.md": "",
    "sub/c.md": "[up](../b.md#gone) [down](d.md)",
    "sub/d.md": "[out](../../outside-of-everything.md)",
    ".hidden/e.md": "[x](hidden.md)",
    ".gitignore": "ignored\n",
    "ignored/f.md": "[x](ignored.md)",
  }, { flags: () => ["-A"] });
  expect(isError).toBe(false);
  const no = "no such file";
  expect(text.split("\n").slice(1)).toEqual([
    `a.md:8: "gone.md": ${no}`,
    `a.md:9: "pic.png": ${no}`,
    `a.md:9: "reference.md": ${no}`,
    `a.md:9: "gone.html": ${no}`,
    'a.md:10: "#twice-2": no anchor "twice-2" in it',
    `a.md:12: "%zz.md": ${no}`,
    `a.md:20: "block.png": ${no}`,
    'sub/c.md:1: "../b.md#gone": no anchor "gone" in that file',
    `sub/d.md:1: "../../outside-of-everything.md": ${no}`,
    ...["", "On the web, not checked (call again with these as urls): 2"],
    ...["//cdn.example/x", "https://rivers.example/a"],
  ]);
});

Deno.test("static links > broken links in the elements of HTML are found, with their lines", async () => {
  const { text } = await check({
    "i.html": `<!doctype html>
<link rel=stylesheet href="s.css"><script src=x.js></script>
<img src="there.png"
 alt=""><a href="#here">a</a><a href="#nowhere">b</a><h2 id="here">c</h2>
<!-- <a href="comment.html"></a> --><a href="javascript:f()">d</a><a>e</a>`,
    "there.png": "",
  });
  expect(text.split("\n").slice(1)).toEqual([
    'i.html:2: "s.css": no such file',
    'i.html:2: "x.js": no such file',
    'i.html:4: "#nowhere": no anchor "nowhere" in it',
  ]);
});

Deno.test("static links > a broken link makes a call with fail_on_broken fail", async () => {
  const rows: [text: string, fail_on_broken: boolean, exit: number][] = [
    ["[gone](gone.md)", true, 1],
    ["[gone](gone.md)", false, 0],
    ["[here](a.md)", true, 0],
  ];
  for (const [text, fail_on_broken, exit] of rows) {
    const result = await check({ "a.md": text }, { fail_on_broken });
    expect([text, result.exit]).toEqual([text, exit]);
    expect(result.text).toContain(text.includes("gone") ? 'a.md:1: "gone.md"' : "0 broken");
  }
});

Deno.test("static links > a file that the flags do not allow is not checked, and limits are reported", async () => {
  const outside = await check({
    "a.md": "[a](/../../etc/passwd) [b](link.md#x) [c](../x.md)",
    "link.md": "-> /etc/hosts",
  });
  expect(outside.text).toContain("0 broken\n[3 links not checked: not granted, or too large]");
  const many = await check({ "a.md": "[a](gone.md) ".repeat(200) }, { limit: 2 });
  expect(many.text.split("\n").length).toBe(4);
  expect(many.text).toContain("[198 more broken: to see them, give a larger limit]");
  const large = await check({ "a.md": "x".repeat(1024 * 1024 + 1) });
  expect(large.text).toContain('[Not checked: "a.md": it cannot be read, or is larger than 1 MiB]');
  const odd: [args: { path: string }, expected: string][] = [
    [{ path: "gone" }, "no such file or directory"],
    [{ path: "a.txt" }, "it is not Markdown or HTML"],
  ];
  for (const [args, expected] of odd) {
    const { text, exit } = await check({ "a.txt": "" }, args);
    expect([exit, text.includes(expected) ? expected : text]).toEqual([1, expected]);
  }
});

Deno.test("static links > an address is checked by HEAD, or by GET if the server refuses HEAD, without redirects", async () => {
  const methods: string[] = [];
  await using server = countingServer((path) => {
    methods.push(path);
    const answers: Record<string, () => Response> = {
      "/ok": () => new Response(null),
      "/moved": () => new Response(null, { status: 301, headers: { location: "/ok" } }),
      "/broken": () => new Response(null, { status: 500 }),
      "/head": () =>
        new Response(null, { status: methods.filter((p) => p === "/head").length > 1 ? 200 : 405 }),
    };
    return answers[path]?.();
  });
  const base = `http://${server.host}`;
  const urls = ["/ok", "/moved", "/gone", "/broken", "/head", "/ok"].map((path) => base + path);
  const flags = [`--allow-net=${server.host}`];
  const { text } = await call("static_links", { urls }, { flags });
  expect(text.replaceAll(base, "")).toBe(
    'Checked 5 addresses: 2 broken\n"/ok": 200\n"/moved": 301, leads to "/ok"\n' +
      '"/gone": 404, broken\n"/broken": 500, broken\n"/head": 200',
  );
  expect(methods.filter((path) => path === "/ok").length).toBe(1);
  const failed = await call("static_links", { urls, fail_on_broken: true }, { flags });
  expect([failed.exit, failed.text]).toEqual([1, text]);
  // The error names a flag once for many addresses of a host.
  const refused = await call("static_links", { urls }, { flags: ["--allow-net"] });
  expect([refused.exit, refused.text.split("--allow-net=").length]).toEqual([6, 2]);
  const both = await call("static_links", { urls, path: "." }, { flags: ["-A"] });
  expect([both.exit, both.text.includes("give path or urls")]).toEqual([5, true]);
});
