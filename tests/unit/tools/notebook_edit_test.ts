import { expect } from "@std/expect";
import edit from "../../../tools/edit.ts";
import { after, call, type Change, markdown, notebook, refusal, tried } from "./notebook_calls.ts";
import { notebookFaults } from "./notebook_schema.ts";
import { scratchDirectory } from "../../support/scratch_directory.ts";
import { contextFor } from "../../support/tool_context.ts";

/** A notebook, made from the JSON of its cells. */
interface Book {
  head: string;
  cells: string[];
  between: string;
  tail: string;
  /** The JSON of each cell's metadata, which no change touches. */
  kept: string[];
}

const joined = ({ head, cells, between, tail }: Book) => head + cells.join(between) + tail;

/** A notebook in the form of Jupyter, with `unit` instead of each blank of the indentation. */
function jupyter(minor: number, unit = " ", eol = "\n"): Book {
  const id = (name: string) => minor < 5 ? "" : `\n   "id": "${name}",`;
  const attachments = minor === 0 ? "" : `\n   "attachments": {
    "dot.png": {
     "image/png": "aGVsbG8="
    }
   },`;
  const kept = [
    '"metadata": {\n    "huge": 9007199254740993,\n    "tiny": 1e-400,\n    "one": 1.0,\n    "tags": []\n   }',
    String.raw`"metadata": {
    "collapsed": false,
    "mine": {"b": [1e2, -0, {"source": ["}, ]"]}], "a": "\u00e9 \/ \ud83d\ude00"}
   }`,
    '"metadata": {\n    "format": "text/latex"\n   }',
    '"metadata": {}',
  ];
  const cells = [
    `{${attachments}
   "cell_type": "markdown",${id("intro")}
   ${kept[0]},
   "source": [
    "# Größe\\n",
    "![dot](attachment:dot.png)"
   ]
  }`,
    `{
   "cell_type": "code",
   "execution_count": 7,${id("a-1_Z")}
   ${kept[1]},
   "outputs": [
    {
     "data": {
      "application/vnd.x+json": {"n": 12345678901234567890},
      "text/plain": ["42"]
     },
     "execution_count": 7,
     "metadata": {},
     "output_type": "execute_result"
    }
   ],
   "source": [
    "print('\\\\', \\"}\\")"
   ]
  }`,
    `{
   "cell_type": "raw",${id("raw")}
   ${kept[2]},
   "source": []
  }`,
    `{
   "cell_type": "code",
   "execution_count": null,${id("last")}
   ${kept[3]},
   "outputs": [],
   "source": "as one string\\nof two lines"
  }`,
  ];
  const book = {
    head: '{\n "cells": [\n  ',
    cells,
    between: ",\n  ",
    tail:
      `\n ],\n "metadata": {\n  "x": 1E400\n },\n "nbformat": 4,\n "nbformat_minor": ${minor}\n}\n`,
  };
  const styled = (text: string) =>
    text.replace(/\n( *)/g, (_, blanks) => eol + unit.repeat(blanks.length));
  return {
    head: styled(book.head),
    cells: cells.map(styled),
    between: styled(book.between),
    tail: styled(book.tail),
    kept: kept.map(styled),
  };
}

/** A notebook on one line, with unsorted names, sources as strings, and escapes for non-ASCII. */
function oneLine(minor: number, blank: string): Book {
  const member = (name: string, value: string) => `"${name}":${blank}${value}`;
  const list = (...members: string[]) => members.join(`,${blank}`);
  const id = (name: string) => minor < 5 ? [] : [member("id", `"${name}"`)];
  const kept = [
    member("metadata", '{"n": 9007199254740993 , "e": "\\u00e9"}'),
    member("metadata", "{}"),
  ];
  const code = list(
    ...[
      member("source", '"1"'),
      member("cell_type", '"code"'),
      kept[0]!,
    ],
    ...[...id("one"), member("outputs", "[]"), member("execution_count", "3")],
  );
  const text = list(
    ...[kept[1]!, member("source", '"two"'), member("cell_type", '"markdown"')],
    ...id("two"),
  );
  return {
    head: `{${
      list(member("nbformat_minor", `${minor}`), member("nbformat", "4"), "")
    }"cells":${blank}[`,
    cells: [`{${code}}`, `{${text}}`],
    between: `,${blank}`,
    tail: `],${blank}"metadata":${blank}{"x": -0.0}}`,
    kept,
  };
}

const bom = (book: Book) => ({ ...book, head: `\ufeff${book.head}` });

const BOOKS: [name: string, book: Book][] = [
  ["4.0", jupyter(0)],
  ["4.1 with four blanks", jupyter(1, "    ")],
  ["4.4 with tabs and CRLF", jupyter(4, "\t", "\r\n")],
  ["4.5", jupyter(5)],
  ["4.5 with a byte order mark", bom(jupyter(5, "  "))],
  ["4.4 on one line", oneLine(4, " ")],
  ["4.5 on one line without blanks", oneLine(5, "")],
  ["4.5 on one line with a byte order mark", bom(oneLine(5, ""))],
];

/** The expected cell after a change. */
function wanted(
  cell: Record<string, unknown>,
  { type, source }: { type: string | undefined; source: string },
): Record<string, unknown> {
  const { outputs: _1, execution_count: _2, attachments, ...rest } = cell;
  const cell_type = type ?? cell.cell_type;
  return {
    ...rest,
    ...(attachments !== undefined && cell_type !== "code" && { attachments }),
    ...(cell_type === "code" && { outputs: [], execution_count: null }),
    cell_type,
    source,
  };
}

function parsed(json: string): Record<string, unknown> {
  const cell = JSON.parse(json);
  return { ...cell, source: [cell.source].flat().join("") };
}

const SOURCES = ["", "x", "a\nb", "a\n\nb\n", 'é 😀 " \\ \u2028 \x1b \x7f $& \ud800', "\r\n"];

Deno.test("notebook edit > a change affects one cell and no byte outside it", async (t) => {
  for (const [name, book] of BOOKS) {
    const { head, cells, between, tail, kept } = book;
    const before = joined(book);
    expect(notebookFaults(before)).toEqual([]);
    const at = (i: number) => JSON.parse(cells[i]!).id ?? `cell-${i + 1}`;
    /** The JSON of the changed cell. Checks that everything around it is unchanged. */
    const changed = (text: string, [left, right]: [string[], string[]]): string => {
      const start = head + left.map((cell) => cell + between).join("");
      const end = right.map((cell) => between + cell).join("") + tail;
      expect(text.startsWith(start)).toBe(true);
      expect(text.endsWith(end)).toBe(true);
      return text.slice(start.length, text.length - end.length);
    };
    for (const i of cells.keys()) {
      await t.step(`${name}: replaces cell ${i + 1}`, async () => {
        for (const source of SOURCES) {
          for (const type of [undefined, "code", "markdown"] as const) {
            const text = await after(before, {
              cell_id: at(i),
              new_source: source,
              ...(type && { cell_type: type }),
            });
            const cell = changed(text, [cells.slice(0, i), cells.slice(i + 1)]);
            expect(parsed(cell)).toEqual(wanted(parsed(cells[i]!), { type, source }));
            expect(cell).toContain(kept[i]);
          }
        }
      });
      await t.step(`${name}: deletes cell ${i + 1}`, async () => {
        const text = await after(before, { cell_id: at(i), edit_mode: "delete" });
        expect(text).toBe(joined({ ...book, cells: cells.toSpliced(i, 1) }));
      });
    }
    for (const i of [0, ...cells.keys().map((each) => each + 1)]) {
      await t.step(`${name}: inserts after ${i} cells`, async () => {
        for (const source of SOURCES) {
          for (const type of ["code", "markdown"] as const) {
            const text = await after(before, {
              edit_mode: "insert",
              new_source: source,
              cell_type: type,
              ...(i > 0 && { cell_id: at(i - 1) }),
            });
            const { id, ...cell } = parsed(changed(text, [cells.slice(0, i), cells.slice(i)]));
            expect(cell).toEqual(wanted({ metadata: {} }, { type, source }));
            expect(typeof id).toBe(name.startsWith("4.5") ? "string" : "undefined");
          }
        }
      });
    }
  }
});

Deno.test("notebook edit > a cell is written in the style of the notebook", async (t) => {
  const escaped = notebook(markdown("a", String.raw`["\u00e9\n", "\u001b"]`));
  const python = notebook(markdown("a", String.raw`["'\\u00e9' \u001b \u007f"]`));
  const wide = markdown("a", '[\n   "x"\n  ]');
  const prose = '{"metadata": {}, "source": [ "x" ], "cell_type": "markdown"}';
  const code = "inserted as code";
  const rows: [what: string, before: string, change: Change, cell: string][] = [
    [
      "non-ASCII characters are escaped as before",
      escaped,
      { new_source: "é\n😀\x7f" },
      String.raw`["\u00e9\n", "\ud83d\ude00\u007f"]`,
    ],
    ["a backslash in the source is not an escape of JSON", python, { new_source: "é" }, '["é"]'],
    [
      "a list over several lines",
      notebook(wide),
      { new_source: "a\nb" },
      '[\n   "a\\n",\n   "b"\n  ]',
    ],
    ["an empty source", notebook(wide), { new_source: "" }, '"source": []}'],
    ["one string", notebook(markdown("a")), { new_source: "a\nb" }, '"source": "a\\nb"}'],
    [
      "missing members are added in alphabetical order",
      notebook(markdown("a", '["x"]')),
      { new_source: "x", cell_type: "code" },
      '{"cell_type": "code", "execution_count": null, "id": "a", "metadata": {}, "outputs": [], "source": ["x"]}',
    ],
    [
      "missing members are added at the end of unsorted members",
      notebook(prose),
      { new_source: "a\nb", cell_type: "code", cell_id: "cell-1" },
      '{"metadata": {}, "source": [ "a\\n", "b" ], "cell_type": "code", "execution_count": null, "outputs": []}',
    ],
    [
      "a first cell in the style of Jupyter",
      notebook(),
      { new_source: code, cell_type: "code", edit_mode: "insert" },
      `"cells": [
  {
   "cell_type": "code",
   "execution_count": null,
   "metadata": {},
   "outputs": [],
   "source": [
    "${code}"
   ]
  }
 ],`,
    ],
    [
      "a first cell on one line",
      '{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":4}',
      { new_source: "a\nb", cell_type: "markdown", edit_mode: "insert" },
      '{"cells":[{"cell_type":"markdown","metadata":{},"source":["a\\n","b"]}],"metadata":{}',
    ],
    [
      "the last cell leaves an empty list",
      notebook(prose),
      { edit_mode: "delete", cell_id: "cell-1" },
      notebook(),
    ],
  ];
  for (const [what, before, change, cell] of rows) {
    await t.step(what, async () => {
      const named = change.edit_mode === "insert" ? change : { cell_id: "a", ...change };
      expect(await after(before, named)).toContain(cell);
    });
  }
});

Deno.test("notebook edit > the result describes the change", async (t) => {
  const outputs = '[{"output_type": "stream", "name": "stdout", "text": "3"}]';
  const code =
    `{"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": ${outputs}, ` +
    '"source": ["one\\n", "two"]}';
  const picture = '{"cell_type": "markdown", "attachments": {"a": {"image/png": "aa"}}, ' +
    '"metadata": {}, "source": "x"}';
  const two = notebook(code, picture);
  const ids = notebook(markdown("a"), markdown("b"));
  const rows: [before: string, change: Change, said: RegExp][] = [
    [
      two,
      { cell_id: "cell-1", new_source: "one\n2" },
      /^replaced cell 1 \(code\); its outputs were removed\n@@ -1,2 \+1,2 @@\n one\n-two\n\+2$/,
    ],
    [
      two,
      { cell_id: "cell-2", new_source: "x", cell_type: "code" },
      /^replaced cell 2 \(markdown\), which is now a code cell; its attachments were removed; its text is unchanged$/,
    ],
    [
      two,
      { cell_id: "cell-1", edit_mode: "delete" },
      /^deleted cell 1 \(code\); the number of every following cell went down by one\n@@ -1,2 \+0,0 @@\n-one\n-two$/,
    ],
    [
      two,
      { edit_mode: "insert", cell_type: "code", new_source: "x" },
      /^inserted cell 1 \(code\) at the beginning; the number of every following cell went up by one$/,
    ],
    [
      two,
      { cell_id: "Cell 2", edit_mode: "delete" },
      /^deleted cell 2 \(markdown\)\n@@ -1,1 \+0,0 @@\n-x$/,
    ],
    [
      ids,
      { edit_mode: "insert", cell_type: "markdown", cell_id: "a" },
      /^inserted cell 2 \(markdown, id "[0-9a-f]{8}"\) after cell 1 \(markdown, id "a"\)$/,
    ],
    [
      ids,
      { cell_id: "b", new_source: "B" },
      /^replaced cell 2 \(markdown, id "b"\)\n@@ -1,1 \+1,1 @@\n-b\n\+B$/,
    ],
    [
      notebook(markdown("empty", "[]")),
      { cell_id: "empty", edit_mode: "delete" },
      /^deleted cell 1 \(markdown, id "empty"\)$/,
    ],
    [ids, { cell_id: "b", new_source: "b\n" }, /^replaced .*\n@@ -1,1 \+1,2 @@\n b\n\+$/],
  ];
  for (const [before, change, pattern] of rows) {
    await t.step(JSON.stringify(change), async () => {
      const [said] = await tried(before, change);
      expect(said.slice('Edited "/book": '.length)).toMatch(pattern);
    });
  }
});

Deno.test("notebook edit > a cell is named by its id, or by its number", async (t) => {
  const bare = '{"cell_type": "markdown", "metadata": {}, "source": "bare"}';
  const mixed = notebook(
    markdown("a"),
    bare,
    markdown("twin"),
    markdown("twin"),
    markdown("cell-2"),
  );
  const found: [name: string, number: number][] = [
    ...[["a", 1], ["Cell 2", 2], ["cell 2", 2], ["cell-3", 3], ["CELL-4", 4]] as const,
    ...[["cell-2", 5], ["Cell 5", 5]] as const,
  ].map(([name, number]) => [name, number]);
  for (const [cell_id, number] of found) {
    await t.step(`${cell_id} is cell ${number}`, async () => {
      const [said] = await tried(mixed, { cell_id, new_source: "changed" });
      expect(said).toContain(`replaced cell ${number} `);
    });
  }
  const names = '"a", "Cell 2", "Cell 3", "Cell 4", "cell-2"';
  const refused: [name: string, why: string][] = [
    ["twin", '2 cells have the id "twin"; use the number of one: "Cell 3", "Cell 4"'],
    ["cell-1", `no cell has the id "cell-1"; cell 1 has the id "a"; its cells are ${names}`],
    ["cell-0", `no cell has the id "cell-0"; its cells are ${names}`],
    ["cell-6", `no cell has the id "cell-6"; its cells are ${names}`],
    ["A", `no cell has the id "A"; its cells are ${names}`],
    ["constructor", `no cell has the id "constructor"; its cells are ${names}`],
  ];
  for (const [cell_id, why] of refused) {
    await t.step(why, async () => {
      expect(await refusal(mixed, { cell_id })).toBe(why);
      const insert = { cell_id, edit_mode: "insert", cell_type: "code" } as const;
      expect(await refusal(mixed, insert)).toBe(why);
    });
  }
  const many = notebook(...Array.from({ length: 500 }, (_, i) => markdown(`id${i}`)));
  expect(await refusal(many, { cell_id: "x" })).toMatch(/"id18", "id19" and 480 more$/);
  expect(await refusal(notebook(), { cell_id: "x" })).toMatch(/; the notebook has no cells$/);
});

Deno.test("notebook edit > the id of a new cell is unique", async () => {
  let text = notebook(markdown("a"));
  for (let i = 0; i < 30; i++) {
    text = await after(text, { edit_mode: "insert", cell_type: "code", cell_id: "a" });
  }
  const ids = JSON.parse(text).cells.map(({ id }: { id: string }) => id);
  expect(new Set(ids).size).toBe(31);
});

Deno.test("notebook edit > a file that is not a notebook of format 4 is refused with the reason", async (t) => {
  const rows: [before: string, why: string][] = [
    ["", "its JSON cannot be parsed: "],
    ['{"cells": [', "its JSON cannot be parsed: "],
    ['{"nbformat": 4, "cells": [],}', "its JSON cannot be parsed: "],
    ['{"nbformat": 4, /* no */ "cells": []}', "its JSON cannot be parsed: "],
    ["[4]", 'it is not a notebook: its JSON has no "nbformat"'],
    ["null", 'it is not a notebook: its JSON has no "nbformat"'],
    ['{"cells": []}', 'it is not a notebook: its JSON has no "nbformat"'],
    ['{"nbformat": 4}', 'it is not a notebook: its "cells" are not a list'],
    ['{"nbformat": 4, "cells": {}}', 'it is not a notebook: its "cells" are not a list'],
    [
      '{"nbformat": 3, "worksheets": []}',
      "it is a notebook of format 3, and NotebookEdit takes format 4; opening and saving it in Jupyter",
    ],
    [
      '{"nbformat": 5, "cells": []}',
      "it is a notebook of format 5, and NotebookEdit takes format 4",
    ],
    ['{"nbformat": 4, "cells": [1]}', "cell 1 is not an object"],
  ];
  for (const [before, why] of rows) {
    await t.step(before || "nothing", async () => {
      expect(await refusal(before, { cell_id: "cell-1" })).toContain(why);
    });
  }
  const latin1 = Uint8Array.from([
    ...new TextEncoder().encode('{"nbformat": 4, "x": "'),
    0xe9,
    34,
    125,
  ]);
  expect(await refusal(latin1, { cell_id: "a" })).toContain("must be valid UTF-8");
  expect(await refusal(new TextEncoder().encode("PK\x03\x04\0\0"), { cell_id: "a" }))
    .toContain("it is a zip archive");
});

Deno.test("notebook edit > files that cannot be edited and incomplete calls are refused", async (t) => {
  using directory = scratchDirectory();
  const at = (name: string) => `${directory.path}/${name}`;
  Deno.writeTextFileSync(at("book.ipynb"), notebook(markdown("a")));
  Deno.writeTextFileSync(at("large"), "");
  Deno.truncateSync(at("large"), (32 << 20) + 1);
  const limit = "NotebookEdit takes notebooks of up to 32.0 MiB";
  const rows: [path: string, change: Change, why: string][] = [
    [at("bok.ipynb"), { cell_id: "a" }, `no such file; similar: "${at("book.ipynb")}"`],
    [at("large"), { cell_id: "a" }, `it has 32.0 MiB; ${limit}`],
    [
      at("book.ipynb"),
      { cell_id: "a", new_source: "x".repeat(32 << 20) },
      `it would have 32.0 MiB, and ${limit}`,
    ],
    [directory.path, { cell_id: "a" }, "it is a directory"],
  ];
  const incomplete: [change: Change, problem: string][] = [
    [{}, "/cell_id: to replace a cell, cell_id is needed"],
    [{ edit_mode: "delete" }, "/cell_id: to delete a cell, cell_id is needed"],
    [
      { edit_mode: "insert", cell_id: "a" },
      "/cell_type: to insert a cell, cell_type is needed",
    ],
  ];
  for (const [change, problem] of incomplete) {
    await expect(call(at("book.ipynb"), change)).rejects.toThrow(problem);
  }
  for (const [path, change, why] of rows) {
    await t.step(why, async () => {
      await expect(call(path, change)).rejects.toThrow(`Cannot edit "${path}": ${why}`);
    });
  }
  expect(Deno.readTextFileSync(at("book.ipynb"))).toBe(notebook(markdown("a")));
});

Deno.test("notebook edit > the last of several members with the same name is used, as in all readers", async () => {
  const before = '{"cells": [1], "nbformat": 3, "nbformat": 4, "nbformat_minor": 4, ' +
    '"c\\u0065lls": [{"cell_type": "code", "source": "no", "source": "yes", "__proto__": {}}]}';
  const [said, text] = await tried(before, { cell_id: "cell-1", new_source: "new" });
  expect(said).toContain("-yes\n+new");
  expect(text).toBe(
    before.replace(
      '"yes", "__proto__": {}}',
      '"new", "__proto__": {}, "execution_count": null, "outputs": []}',
    ),
  );
});

Deno.test("notebook edit > simultaneous changes are all made, also those of Edit", async () => {
  using directory = scratchDirectory();
  const path = `${directory.path}/book.ipynb`;
  Deno.writeTextFileSync(
    path,
    notebook(...Array.from({ length: 20 }, (_, i) => markdown(`c${i}`))),
  );
  const numbers = Array.from({ length: 20 }, (_, i) => i);
  await Promise.all(numbers.flatMap((i) => {
    const replace = { file_path: path, old_string: `"c${i}"}`, new_string: `"edited ${i}"}` };
    return [
      call(path, { cell_id: `c${i}`, edit_mode: "insert", cell_type: "code", new_source: `n${i}` }),
      Promise.resolve(edit.run({ ...replace, replace_all: false }, contextFor("/"))),
    ];
  }));
  const text = Deno.readTextFileSync(path);
  expect(notebookFaults(text)).toEqual([]);
  expect(JSON.parse(text).cells.map(({ source }: { source: string }) => source))
    .toEqual(numbers.flatMap((i) => [`edited ${i}`, `n${i}`]));
});

Deno.test("notebook edit > the mode of the file stays, and a call that waits for the lock can be canceled", async () => {
  using directory = scratchDirectory();
  const path = `${directory.path}/book.ipynb`;
  Deno.writeTextFileSync(path, notebook(markdown("a")));
  Deno.chmodSync(path, 0o640);
  await call(path, { cell_id: "a", new_source: "b" });
  expect(Deno.statSync(path).mode! & 0o777).toBe(0o640);
  using file = Deno.openSync(path, { read: true });
  file.lockSync(true);
  const running = call(path, { cell_id: "a", new_source: "c" }, AbortSignal.timeout(100));
  await expect(running).rejects.toThrow("aborted due to timeout");
  expect(Deno.readTextFileSync(path)).toBe(notebook(markdown("a", '"b"')));
});
