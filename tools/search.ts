import { defineTool } from "../src/registry/define.ts";

export default defineTool({
  name: "search",
  title: "Search code",
  description:
    "Finds the lines that hold a text in the files below a folder, and shows them as path:number:line, lines around them as path-number-line. The text is taken literally unless regex is set (Rust's syntax: linear time, no look-around). Leaves out hidden files, binary files, what .gitignore names, and never follows symbolic links. Sorted by path. What is left out is said, with the offset that shows it. Stops after 30 seconds",
  category: "code",
  sideEffect: "read_only",
  idempotent: true,
  optionality: "required",
  usageHint: "To find where a name or a text occurs in the code, with the lines themselves",
  inputSchema: {
    type: "object",
    properties: {
      query: { type: "string", minLength: 1, description: "The text, or with regex the pattern" },
      path: {
        type: "string",
        minLength: 1,
        description: "The file or folder to search; the working folder where it is not given",
      },
      glob: {
        type: "string",
        minLength: 1,
        description:
          'Which files to search, such as "*.ts" or "src/**/*.{c,h}"; "!*.md" leaves out',
      },
      regex: {
        type: "boolean",
        default: false,
        description: "Whether query is a regular expression",
      },
      ignore_case: {
        type: "boolean",
        default: false,
        description: "Whether upper and lower case are the same",
      },
      context: {
        type: "integer",
        minimum: 0,
        maximum: 100,
        default: 0,
        description: "How many lines to show around each",
      },
      limit: {
        type: "integer",
        minimum: 1,
        default: 200,
        description: "How many lines to show at most, those around included",
      },
      offset: {
        type: "integer",
        minimum: 0,
        default: 0,
        description: "How many lines to pass over first",
      },
    },
    required: ["query"],
    additionalProperties: false,
  },
  examples: [
    { description: "Find a call", input: { query: "add(a" }, expect: "src/math.ts:1:export" },
    {
      description: "Find a pattern, with a line around it",
      input: { query: "todo: \\w+", path: "src", regex: true, ignore_case: true, context: 1 },
      expect: "src/math.ts-4-\nsrc/math.ts:5:// TODO: subtract",
    },
    {
      description: "An invalid pattern",
      input: { query: "add(", regex: true },
      expect: "unclosed group",
      isError: true,
    },
  ],
  permissions: {
    kinds: ["read"],
    needs: (args) => [{ name: "read", path: args.path ?? "." }],
  },
  timeoutMs: 30_000,
  async run(args, ctx) {
    const { query, regex, context } = args;
    const { grep } = await import("../src/search/grep.ts");
    return await grep({
      pattern: regex ? query : query.replace(/[\\.+*?()|[\]{}^$#&\-~]/g, "\\$&"),
      shownPattern: query,
      path: args.path,
      glob: args.glob,
      type: undefined,
      mode: "content",
      before: context,
      after: context,
      lineNumbers: true,
      ignoreCase: args.ignore_case,
      multiline: !regex && query.includes("\n"),
      limit: args.limit,
      offset: args.offset,
    }, ctx);
  },
});
