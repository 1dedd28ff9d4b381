import { defineTool } from "../src/registry/define.ts";
import { byteSize } from "../src/files/amounts.ts";
import { type ByteSource, openSource, readAll } from "../src/files/byte_source.ts";
import { checkPath } from "../src/files/check_path.ts";
import { fileKind } from "../src/files/file_kind.ts";
import { fileTarget, statRegular } from "../src/files/file_target.ts";
import { lineWindow } from "../src/files/line_window.ts";
import { cannot, type FileTarget } from "../src/files/system_error.ts";

export default defineTool({
  name: "Read",
  aliases: ["FileRead"],
  title: "Read file",
  description:
    "Shows a file. Text comes as numbered lines (number, tab, line): 2,000 lines unless limit says otherwise, at most 50 KiB a call, lines cut after 2,000 characters; when more remains, the result says how much and which offset goes on. PNG, JPEG, GIF and WebP images up to 5 MiB come as images. Notebooks (.ipynb) come as their cells with outputs, and offset and limit then count cells. PDF and other binary files, folders, pipes and devices are refused by type. A missing file names near ones",
  category: "code",
  sideEffect: "read_only",
  idempotent: true,
  optionality: "required",
  usageHint: "To see a file before editing it, or to look at an image or a notebook",
  inputSchema: {
    type: "object",
    properties: {
      file_path: {
        type: "string",
        description: "Absolute path of the file; ~ and variables are not expanded",
        pattern: "^/",
      },
      offset: {
        type: "integer",
        description: "The first line to show, counted from 1 (in a notebook: the first cell)",
        minimum: 1,
        default: 1,
      },
      limit: {
        type: "integer",
        description: "How many lines to show at most (in a notebook: how many cells)",
        minimum: 1,
        default: 2000,
      },
      pages: {
        type: "string",
        description: "Pages of a PDF, such as 3 or 1-5; other files do not look at it",
        pattern: "^[0-9]+(-[0-9]+)?$",
      },
    },
    required: ["file_path"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "Read a text file",
      input: { file_path: "$ROOT/hello.txt" },
      expect: "     1\tHello",
    },
    {
      description: "Read the second line alone",
      input: { file_path: "$ROOT/src/math.ts", offset: 2, limit: 1 },
      expect: "To go on: offset 3",
    },
    {
      description: "Read a notebook",
      input: { file_path: "$ROOT/analysis.ipynb" },
      expect: 'Cell 2 (code, id "sum", executed as [1])',
    },
    {
      description: "Look at an image",
      input: { file_path: "$ROOT/logo.png" },
      expect: "[PNG image",
    },
    {
      description: "A misspelt name is answered with the near ones",
      input: { file_path: "$ROOT/helo.txt" },
      expect: "hello.txt",
      isError: true,
    },
  ],
  permissions: {
    kinds: ["read"],
    needs: (args) => [{ name: "read", path: checkPath(args.file_path) }],
  },
  async run({ file_path, offset, limit }, ctx) {
    const target = fileTarget(ctx, { given: file_path, action: "read" });
    const info = statRegular(target);
    if (!info) {
      const { missingError } = await import("../src/files/missing_error.ts");
      throw missingError(target, (path) => ctx.mayRead(path));
    }
    using source = openSource(target, { info, signal: ctx.signal });
    const kind = fileKind(await source.peek() ?? new Uint8Array());
    if (kind.is === "image") return await image(source, { target, kind });
    if (kind.is === "pdf") throw pdf(target);
    if (kind.is === "binary") throw binary(target, { name: kind.name, size: source.size });
    if (!/\.ipynb$/i.test(target.path)) return await lineWindow(source, { target, offset, limit });
    const { notebookBlocks } = await import("../src/files/notebook_blocks.ts");
    const blocks = await notebookBlocks(source, { target, offset, limit });
    if (typeof blocks !== "string") return blocks;
    using again = openSource(target, { info, signal: ctx.signal });
    return `${await lineWindow(again, { target, offset, limit })}\n[${blocks}]`;
  },
});

async function image(
  source: ByteSource,
  { target, kind }: { target: FileTarget; kind: { name: string; mimeType: string } },
) {
  const { IMAGE_LIMIT, imageBlocks } = await import("../src/files/image_block.ts");
  const advice = `an image of more than ${
    byteSize(IMAGE_LIMIT)
  } is not shown; make it smaller first`;
  return imageBlocks(await readAll(source, { limit: IMAGE_LIMIT, target, advice }), kind);
}

function pdf(target: FileTarget): Error {
  return new Error(
    `${cannot(target)}: it is a PDF document, and reading PDF is not supported yet; ` +
      "turn it into text first, for example with pdftotext",
    { cause: { kind: "a PDF document" } },
  );
}

function binary(target: FileTarget, { name, size }: { name: string; size: number }): Error {
  return new Error(
    `${cannot(target)}: it is ${name}, ${byteSize(size)}; ` +
      "Read shows text in UTF-8, PNG, JPEG, GIF and WebP images, and notebooks",
    { cause: { kind: name } },
  );
}
