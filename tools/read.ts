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
    "Shows a file. Text comes as numbered lines (number, tab, line): 2,000 lines unless limit says otherwise, at most 50 KiB a call, lines cut after 2,000 characters; when more remains, the result says how much and which offset goes on. PNG, JPEG, GIF and WebP images up to 64 MiB come as images, scaled down when they are larger than 3.75 MiB or 8,000 pixels a side. Notebooks (.ipynb) come as their cells with outputs, and offset and limit then count cells. PDF documents up to 64 MiB come as the text of their pages; offset and limit do not apply to them: pages says which, at most 20 a call, and has to be given for one of more than 10 pages. Other binary files, folders, pipes and devices are refused by type. A missing file names near ones",
  category: "code",
  sideEffect: "read_only",
  idempotent: true,
  bounded: true,
  optionality: "required",
  usageHint: "To see a file before editing it, or to look at an image, a notebook or a PDF",
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
        default: DEFAULT_LIMIT,
      },
      pages: {
        type: "string",
        description:
          "Pages of a PDF, counted from 1, such as 3 or 1-5; at most 20; other files do not look at it",
        pattern: "^[0-9]+(-[0-9]+)?$",
      },
      allow_large: {
        type: "boolean",
        description: "Show up to 256 KiB of a text, and all lines where limit is not given",
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
      description: "Read the second page of a PDF",
      input: { file_path: "$ROOT/report.pdf", pages: "2" },
      expect: "[Page 2 of 2]\nWhat comes next",
    },
    {
      description: "A misspelt name is answered with the near ones",
      input: { file_path: "$ROOT/helo.txt" },
      flags: ["--allow-read=$ROOT"],
      expect: "hello.txt",
      isError: true,
    },
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
