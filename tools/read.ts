import { problemFrom } from "../src/base/argument_problem.ts";
import { pageRange } from "../src/toolkit/files/pdf/page_range.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import { checkFilePath } from "../src/toolkit/files/check_path.ts";
import { MAX_SHORT_BYTES, shortFile, shortText } from "../src/toolkit/files/read/short_text.ts";

/** The default number of lines. */
const DEFAULT_LIMIT = 2000;

/** The number of lines to show at most. */
const limitOf = ({ limit, allow_large }: { limit: number; allow_large?: boolean }) =>
  allow_large === true && limit === DEFAULT_LIMIT ? Number.MAX_SAFE_INTEGER : limit;

const isNotebook = (path: string) => /\.ipynb$/i.test(path);

export default defineTool({
  name: "Read",
  aliases: ["FileRead"],
  title: "Read file",
  description:
    "Reads a file. Text is returned with line numbers: up to 2,000 lines by default and 50 KiB, lines truncated at 2,000 characters. If there is more, the result gives the offset to continue. Images (PNG, JPEG, GIF, WebP, up to 64 MiB) are returned as images, scaled down above 3.75 MiB or 8,000 pixels. Notebooks (.ipynb) are returned as cells with outputs; offset and limit count cells. PDFs (up to 64 MiB) are returned as text; use pages, required above 10 pages. Other binary files, directories, pipes and devices are rejected. A missing file's error suggests similar names.",
  category: "code",
  sideEffect: "read_only",
  idempotent: true,
  bounded: true,
  optionality: "required",
  usageHint: "To see a file before editing it, or to view an image, a notebook or a PDF",
  inputSchema: {
    type: "object",
    properties: {
      file_path: {
        type: "string",
        description: "Absolute path of the file. ~ and variables are not expanded.",
        pattern: "^/",
      },
      offset: {
        type: "integer",
        description: "The first line to show, from 1 (notebooks: the first cell).",
        minimum: 1,
        default: 1,
      },
      limit: {
        type: "integer",
        description: "The maximum number of lines (notebooks: cells).",
        minimum: 1,
        default: DEFAULT_LIMIT,
      },
      pages: {
        type: "string",
        description: "PDF pages, such as 3 or 1-5 (maximum 20). Ignored for other files.",
        pattern: "^[0-9]+(-[0-9]+)?$",
      },
      allow_large: {
        type: "boolean",
        description: "Returns up to 256 KiB of text, and all lines if limit is not given.",
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
      description: "Read only the second line",
      input: { file_path: "$ROOT/src/math.ts", offset: 2, limit: 1 },
      expect: "To continue: offset 3",
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
      description: "Read the second page of a PDF",
      input: { file_path: "$ROOT/report.pdf", pages: "2" },
      expect: "[Page 2 of 2]\nWhat comes next",
    },
    {
      description: "A misspelt name gets suggestions",
      input: { file_path: "$ROOT/helo.txt" },
      flags: ["--allow-read=$ROOT"],
      expect: "hello.txt",
      isError: true,
    },
  ],
  rules: ({ file_path, pages }) => [
    ...problemFrom("/file_path", () => checkFilePath(file_path)),
    ...(pages === undefined ? [] : problemFrom("/pages", () => pageRange(pages))),
  ],
  permissions: {
    kinds: ["read"],
    needs: (args) => [{ name: "read", path: checkFilePath(args.file_path) }],
  },
  shortFile: {
    maxBytes: MAX_SHORT_BYTES,
    show: (args, bytes, path) =>
      isNotebook(path)
        ? undefined
        : shortText(bytes, { offset: args.offset, limit: limitOf(args) }),
  },
  async run(args, ctx) {
    const { file_path, offset, pages, allow_large: isLarge = false } = args;
    const path = ctx.path(file_path);
    const limit = limitOf(args);
    const bytes = isNotebook(path) ? undefined : shortFile(path);
    const text = bytes && shortText(bytes, { offset, limit });
    if (text !== undefined && !ctx.structured) return text;
    const { readAnyFile } = await import("../src/toolkit/files/read/read_any_file.ts");
    const options = { given: file_path, offset, limit, isLarge, pages };
    const content = text ?? await readAnyFile(ctx, options);
    if (!ctx.structured) return content;
    const { readData } = await import("../src/toolkit/files/file_data.ts");
    const structuredContent = readData(content, { path, given: file_path, offset });
    return { content, structuredContent };
  },
});
