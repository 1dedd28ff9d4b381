import { expect } from "@std/expect";
import { blockText } from "../../../../../src/base/block_text.ts";
import type { ContentBlock } from "../../../../../src/base/content.ts";
import { png, type PngOptions } from "../../../../support/images.ts";
import read from "../../../../../tools/read.ts";
import { blocksOf, contextFor } from "../../../../support/tool_context.ts";
import { scratchDirectory } from "../../../../support/scratch_directory.ts";

const PNG = (await png({ width: 3, height: 2 })).toBase64();

async function show(
  content: unknown,
  input: { offset?: number; limit?: number } = {},
): Promise<ContentBlock[]> {
  using directory = scratchDirectory();
  const file_path = `${directory.path}/book.ipynb`;
  Deno.writeTextFileSync(
    file_path,
    typeof content === "string" ? content : JSON.stringify(content),
  );
  const result = await read.run({ file_path, offset: 1, limit: 2000, ...input }, contextFor("/"));
  return blocksOf(result);
}

function book(...cells: unknown[]): unknown {
  return { nbformat: 4, nbformat_minor: 5, metadata: {}, cells };
}

function code(source: string, outputs: unknown[] = []): unknown {
  return { cell_type: "code", id: "c", execution_count: 3, metadata: {}, source, outputs };
}

function textOf(blocks: readonly ContentBlock[]): string {
  return blocks.map((block) => block.type === "image" ? `<${block.mimeType}>` : blockText(block))
    .join(
      "\n",
    );
}

Deno.test("notebook > cells are shown with their outputs in order", async () => {
  const blocks = await show(book(
    { cell_type: "markdown", metadata: {}, source: ["# Title\n", "text"] },
    code("plot()", [
      { output_type: "stream", name: "stdout", text: ["one\n", "two\n"] },
      { output_type: "display_data", data: { "image/png": `${PNG}\n`, "text/plain": "<Figure>" } },
      { output_type: "execute_result", data: { "text/plain": ["42"], "text/html": "<b>42</b>" } },
      {
        output_type: "error",
        ename: "ValueError",
        evalue: "bad",
        traceback: ["\x1b[31mTrace\x1b[0m", "end"],
      },
    ]),
  ));
  expect(textOf(blocks)).toBe(
    'Cell 1 (markdown)\n# Title\ntext\n\nCell 2 (code, id "c", executed as [3])\nplot()\n\n' +
      "Output (stdout):\none\ntwo\n<image/png>\n[PNG image, 3 × 2, 83 bytes]\n\nResult:\n42\n\n" +
      "Error:\nValueError: bad\nTrace\nend",
  );
});

Deno.test("notebook > offset and limit select the cells", async () => {
  const cells = Array.from({ length: 9 }, (_, i) => code(`cell ${i + 1}`));
  const text = textOf(await show(book(...cells), { offset: 4, limit: 2 }));
  expect(text).toContain("cell 4");
  expect(text).toContain("cell 5\n\n[Shown up to cell 5 of 9 cells. To continue: offset 6]");
  expect(text).not.toContain("cell 6\n");
  await expect(show(book(...cells), { offset: 10 })).rejects.toThrow(
    "from cell 10: the notebook has 9 cells",
  );
});

Deno.test("notebook > the result stays under 50 KiB and says how to continue", async () => {
  const cells = Array.from({ length: 40 }, () => code("x".repeat(5000)));
  const text = textOf(await show(book(...cells)));
  expect(text.length).toBeLessThan(50 * 1024);
  expect(text).toContain("[Shown up to cell 9 of 40 cells. To continue: offset 10]");
});

Deno.test("notebook > a cell that is too large is cut with a note", async () => {
  const output = { output_type: "stream", name: "stdout", text: "o".repeat(9000) };
  const text = textOf(
    await show(book(code("s".repeat(30_000), Array(20).fill(output)), code("after"))),
  );
  expect(text).toContain(
    "[... 10,000 characters cut; the complete text is in .cells[0] of the file's JSON]",
  );
  expect(text).toContain("[... 1,000 characters cut;");
  expect(text).toMatch(/\[\d+ more parts of this cell omitted: /);
  expect(text).toContain("To continue: offset 2]");
  expect(text.length).toBeLessThan(50 * 1024);
});

Deno.test("notebook > large images are scaled, and only some of many images are shown", async () => {
  const shown = async (options: PngOptions) => ({
    output_type: "display_data",
    data: { "image/png": (await png(options)).toBase64() },
  });
  const over = textOf(await show(book(code("x", [await shown({ width: 8_001, height: 8 })]))));
  expect(over).toContain("scaled to 2000 × 2]");
  const large = await shown({ width: 1_000, height: 1_000, isNoise: true });
  const many = await show(book(code("x", [large, large, large, large]), code("after")));
  expect(many.filter((block) => block.type === "image").length).toBe(3);
  expect(textOf(many)).toContain("more parts of this cell omitted");
  const wrong = { output_type: "display_data", data: { "image/png": "not base64!" } };
  expect(textOf(await show(book(code("x", [wrong]))))).toContain("its image/png is no such image");
});

Deno.test("notebook > a file that is not a notebook of format 2, 3 or 4 is shown as text with the reason", async (t) => {
  const rows: [content: unknown, why: string][] = [
    ['{"cells": [', "it is not valid JSON"],
    [{ nbformat: 1, cells: [] }, "it is not a notebook of format 2, 3 or 4"],
    [{ nbformat: 3, worksheets: 5 }, "it is not a notebook of format 2, 3 or 4"],
    [{ nbformat: 5, cells: [] }, "it is not a notebook of format 2, 3 or 4"],
    [[1], "it is not a notebook of format 2, 3 or 4"],
    ["null", "it is not a notebook of format 2, 3 or 4"],
  ];
  for (const [content, why] of rows) {
    await t.step(why, async () => {
      const text = textOf(await show(content));
      expect(text).toMatch(/^ {5}1\t/);
      expect(text).toContain(`\n[${why}`);
    });
  }
});

Deno.test("notebook > notebooks of formats 2 and 3 are shown like those of format 4", async () => {
  const cells = [
    { cell_type: "heading", level: 2, source: ["Title"] },
    { cell_type: "html", source: "<i>note</i>" },
    {
      cell_type: "code",
      input: ["a = 1\n", "plot(a)"],
      prompt_number: 7,
      outputs: [
        { output_type: "stream", stream: "stderr", text: ["one\n", "two\n"] },
        { output_type: "pyout", prompt_number: 7, text: ["42"], html: ["<b>42</b>"] },
        { output_type: "display_data", png: PNG, text: ["<Figure>"] },
        { output_type: "pyerr", ename: "ValueError", evalue: "bad", traceback: ["Trace"] },
      ],
    },
  ];
  const shown = [
    "Cell 1 (markdown)\n## Title\n\nCell 2 (markdown)\n<i>note</i>\n\n" +
    "Cell 3 (code, executed as [7])\na = 1\nplot(a)\n\nOutput (stderr):\none\ntwo\n\n" +
    "Result:\n42\n<image/png>\n[PNG image, 3 × 2, 83 bytes]\n\nError:\nValueError: bad\nTrace",
    "Cell 4 (code)\nlast",
  ].join("\n\n");
  const last = { cells: [{ cell_type: "code", input: "last" }] };
  expect(textOf(await show({ nbformat: 3, worksheets: [{ cells }, last] }))).toBe(shown);
  // Format 2 has lines without their ends.
  const withoutEnds = JSON.parse(JSON.stringify(cells).replaceAll('\\n"', '"'));
  expect(textOf(await show({ nbformat: 2, worksheets: [{ cells: withoutEnds }, last] }))).toBe(
    shown,
  );
  for (const worksheets of [undefined, [], [{}]]) {
    expect(textOf(await show({ nbformat: 3, worksheets }))).toBe("[The notebook has no cells]");
  }
  const long = { cells: [{ cell_type: "code", input: "s".repeat(30_000) }] };
  expect(textOf(await show({ nbformat: 3, worksheets: [{}, long] })))
    .toContain("the complete text is in .worksheets[1].cells[0] of the file's JSON");
});

Deno.test("notebook > cells of any shape are accepted", async () => {
  const odd = [null, 1, "x", [], {}, { cell_type: 5, source: 7, outputs: "no" }, {
    outputs: [null, { data: 3 }],
  }];
  expect(textOf(await show(book(...odd)))).toContain("Cell 7 (unknown)");
  expect(textOf(await show(book()))).toBe("[The notebook has no cells]");
});
