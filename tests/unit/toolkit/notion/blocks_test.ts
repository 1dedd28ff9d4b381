/** The blocks of Notion that Markdown becomes, and the notes on the differences. */
import { expect } from "@std/expect";
import { countBlocks, toAddition, toBatches } from "../../../../src/toolkit/notion/batches.ts";
import type { Block, RichText } from "../../../../src/toolkit/notion/rich_text.ts";
import { convertMarkdown } from "../../../../src/toolkit/notion/blocks.ts";
import { parseParent } from "../../../../src/toolkit/notion/setup.ts";

function convert(markdown: string): { blocks: Block[]; notes: string[] } {
  const notes = new Map<string, number>();
  const blocks = convertMarkdown(markdown, notes);
  return { blocks, notes: [...notes.keys()] };
}

/** Pieces in one line: `*bold*`, `/italic/`, `~struck~`, `` `code` ``, `<text|link>`. */
function shown(pieces: readonly RichText[]): string {
  return pieces.map(({ text, annotations = {} }) => {
    const marks = { bold: "*", italic: "/", strikethrough: "~", code: "`" };
    let marked = text.content;
    for (const [name, mark] of Object.entries(marks)) {
      if (name in annotations) marked = `${mark}${marked}${mark}`;
    }
    return text.link === undefined ? marked : `<${marked}|${text.link.url}>`;
  }).join("·");
}

/** A block in one line, with its children after `>`. */
function line({ type, body, children }: Block): string {
  const { rich_text, cells, checked, language, external, caption, table_width } = body as {
    rich_text?: RichText[];
    cells?: RichText[][];
    checked?: boolean;
    language?: string;
    external?: { url: string };
    caption?: RichText[];
    table_width?: number;
  };
  const parts = [
    type,
    ...(checked === undefined ? [] : [checked ? "[x]" : "[ ]"]),
    ...(language === undefined ? [] : [`(${language})`]),
    ...(table_width === undefined ? [] : [`(${table_width})`]),
    ...(external === undefined ? [] : [external.url, `"${shown(caption!)}"`]),
    ...(rich_text === undefined ? [] : [shown(rich_text)]),
    ...(cells === undefined ? [] : [cells.map(shown).join(" | ")]),
  ];
  const inner = children.length === 0 ? "" : ` > {${children.map(line).join("; ")}}`;
  return parts.join(" ").trimEnd() + inner;
}

Deno.test("notion > Markdown becomes blocks, and a note names each difference", () => {
  const cases: [markdown: string, lines: string[], notes?: (string | RegExp)[]][] = [
    ["# A\n## B\n### C", ["heading_1 A", "heading_2 B", "heading_3 C"]],
    ["##### E", ["heading_3 E"], [/a heading of level 5 becomes level 3/]],
    ["one\ntwo\\\nthree\n\nfour", ["paragraph one two\nthree", "paragraph four"]],
    ["a **b *c* d** ~~e~~ `f` [g](https://h.example/i)", [
      "paragraph a ·*b *·/*c*/·* d*· ·~e~· ·`f`· ·<g|https://h.example/i>",
    ]],
    ["**[a `b`](mailto:c@d.example)**", [
      "paragraph <*a *|mailto:c@d.example>·<`*b*`|mailto:c@d.example>",
    ]],
    ["[a](/b) [c](#d)", ["paragraph a c"], [/the link to "\/b"/, /the link to "#d"/]],
    ["[a](javascript:b)", ["paragraph [a](javascript:b)"]],
    ['[a](https://b.example "c")', ["paragraph <a|https://b.example>"], [/title of a link/]],
    ["- a\n- b\n  - c\n    1. d\n\n  e", [
      "bulleted_list_item a",
      "bulleted_list_item b > {bulleted_list_item c > {numbered_list_item d}; paragraph e}",
    ]],
    ["1. a\n2. b", ["numbered_list_item a", "numbered_list_item b"]],
    ["3. a", ["numbered_list_item a"], [/a list that starts at 3 starts at 1/]],
    ["- [ ] a\n- [x] **b**\n- [X] c\n- [y] d\n- [x]e", [
      "to_do [ ] a",
      "to_do [x] *b*",
      "to_do [x] c",
      "bulleted_list_item [y] d",
      "bulleted_list_item [x]e",
    ]],
    ["-\n- ```\n  a\n  ```", ["bulleted_list_item", "bulleted_list_item > {code (plain text) a}"]],
    ["> a\n> b\n>\n> - c\n>\n> > d", ["quote a b > {bulleted_list_item c; quote d}"]],
    ["> # a", ["quote > {heading_1 a}"]],
    ["```ts\nlet a;\n\nb\n```", ["code (typescript) let a;\n\nb"]],
    ["```C++ {1}\na\n```", ["code (c++) a"]],
    ["    a\n    b", ["code (plain text) a\nb"]],
    ["```brainfuck\n+\n```", ["code (plain text) +"], [/code in "brainfuck" becomes plain text/]],
    ["```constructor\n+\n```", ["code (plain text) +"], [/code in "constructor"/]],
    ["| a | **b** |\n|---|---|\n| c | `d` |\n| e |", [
      "table (2) > {table_row a | *b*; table_row c | `d`; table_row e |}",
    ]],
    ["| a |\n|:-:|\n| ![b](https://c.example/d.png) |", [
      "table (1) > {table_row a; table_row <b|https://c.example/d.png>}",
    ], [/alignment/, /an image becomes a link/]],
    ["a\n\n---\n\nb", ["paragraph a", "divider", "paragraph b"]],
    ["![a b](https://c.example/d.png)", ['image https://c.example/d.png "a b"']],
    ["x ![a](https://c.example/d.png) y", [
      "paragraph x",
      'image https://c.example/d.png "a"',
      "paragraph y",
    ]],
    ["- ![a](https://c.example/d.png)", [
      'bulleted_list_item > {image https://c.example/d.png "a"}',
    ]],
    ["- x\n  ![a](https://c.example/d.png) y", [
      'bulleted_list_item x > {image https://c.example/d.png "a"; paragraph y}',
    ]],
    ["![a](d.png)", ["paragraph a"], [/the image "d.png" becomes its alternative text/]],
    ["[![a](https://c.example/d.png)](https://e.example)", ['image https://c.example/d.png "a"'], [
      /the link of an image is omitted: "https:\/\/e.example"/,
    ]],
    ["a<br>b <u>c</u> <!-- d -->", ["paragraph a\nb <u>c</u>"], [
      "HTML is kept as text",
      "an HTML comment is omitted",
    ]],
    ["<!-- a -->\n\n<div>\nb\n</div>", ["paragraph <div>\nb\n</div>"], [
      "an HTML comment is omitted",
      "HTML is kept as text",
    ]],
    ["---\ntitle: a\n---\nb", ["paragraph b"], ["the front matter is omitted"]],
    ["&amp; \\* &copy;", ["paragraph & * ©"]],
    ["", []],
  ];
  for (const [markdown, lines, wanted = []] of cases) {
    const { blocks, notes } = convert(markdown);
    expect({ markdown, lines: blocks.map(line) }).toEqual({ markdown, lines });
    expect({ markdown, notes: notes.length }).toEqual({ markdown, notes: wanted.length });
    for (const [at, note] of wanted.entries()) expect(notes[at]).toMatch(new RegExp(note));
  }
});

Deno.test("notion > long text is split at the limits of the API, and nothing is lost", () => {
  const long = "😀a".repeat(90_000);
  const { blocks, notes } = convert(
    `${long}\n\n\`\`\`\n${long}\n\`\`\`\n\n# ${"b".repeat(250_000)}\n\n- ${long}`,
  );
  const texts = new Map<string, string>();
  const visit = ({ type, body, children }: Block): void => {
    const pieces = (body["rich_text"] ?? []) as RichText[];
    expect(pieces.length).toBeLessThanOrEqual(100);
    for (const { text: { content } } of pieces) {
      expect(content.length).toBeLessThanOrEqual(2_000);
      expect(content.isWellFormed()).toBe(true);
      texts.set(type, (texts.get(type) ?? "") + content);
    }
    children.forEach(visit);
  };
  blocks.forEach(visit);
  const b = texts.get("heading_1")!.length;
  expect(texts.get("code")).toBe(long);
  expect(texts.get("paragraph")).toBe(
    long + "b".repeat(250_000 - b) + long.slice(texts.get("bulleted_list_item")!.length),
  );
  expect(notes).toEqual([`code of ${long.length} characters is in 3 blocks`]);
  const many = convert("a *b* ".repeat(300)).blocks;
  expect(many.map(({ body }) => (body["rich_text"] as RichText[]).length)).toEqual(
    [100, 100, 100, 100, 100, 100],
  );
});

Deno.test("notion > lists that are nested too deeply are refused", () => {
  const deep = (count: number) =>
    Array.from({ length: count }, (_, at) => `${"  ".repeat(at)}- ${at}`).join("\n");
  expect(countBlocks(convert(deep(45)).blocks)).toBe(45);
  expect(() => convert(deep(60))).toThrow("nested more than 45 levels");
});

Deno.test("notion > no request is larger than the limits of the API, and every block is sent", () => {
  const rows = "| a |\n|---|\n" + "| b |\n".repeat(250);
  const items = Array.from({ length: 130 }, (_, at) => `- ${at}\n  - x\n    - y\n      - z`).join(
    "\n",
  );
  const text = `${rows}\n${items}\n\n${("p".repeat(90_000) + "\n\n").repeat(12)}`;
  const { blocks } = convert(text);
  let added = 0;
  const add = (these: readonly Block[]) => {
    for (const batch of toBatches(these.map(toAddition))) {
      const body = JSON.stringify(batch.map(({ json }) => json));
      const count = batch.reduce((sum, each) => sum + each.count, 0);
      expect(batch.length).toBeLessThanOrEqual(100);
      expect(count).toBeLessThanOrEqual(1_000);
      expect(count).toBe(body.split('"object":"block"').length - 1);
      expect(body.length).toBeLessThan(500_000);
      added += count;
      for (const { later } of batch) add(later);
    }
  };
  add(blocks);
  expect(added).toBe(countBlocks(blocks));
  expect(added).toBe(1 + 251 + 130 * 4 + 12);
});

Deno.test("notion > a parent is an id or a URL, with an optional kind", () => {
  const id = "01234567-89ab-cdef-0123-456789abcdef";
  const bare = id.replaceAll("-", "");
  const cases: [text: string, parent: Record<string, string> | undefined][] = [
    [id, { page_id: id }],
    [bare.toUpperCase(), { page_id: id }],
    [`page:${bare}`, { page_id: id }],
    [`database:${id}`, { database_id: id }],
    [` data_source:${bare} `, { data_source_id: id }],
    [`https://www.notion.so/me/My-page-${bare}?pvs=4#x`, { page_id: id }],
    [`database:https://www.notion.so/${bare}?v=1`, { database_id: id }],
    ["my page", undefined],
    ["", undefined],
    [`${bare}0`, undefined],
    [`block:${bare}`, undefined],
  ];
  for (const [text, parent] of cases) {
    if (parent === undefined) expect(() => parseParent(text)).toThrow("Cannot put a page in");
    else expect({ text, parent: parseParent(text) }).toEqual({ text, parent });
  }
});
