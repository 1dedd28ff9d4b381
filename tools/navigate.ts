import { problemFrom, problemIf } from "../src/base/argument_problem.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import { checkPath } from "../src/toolkit/files/check_path.ts";

export default defineTool({
  name: "navigate",
  title: "Navigate code",
  description:
    "Finds definitions, references and outlines in code using syntax trees. outline: what a file defines, as an indented tree. definitions: where a name is defined, including local variables and parameters. references: where else it is used, and in which definition; not in comments and strings. Matches by name, not scope; results include the owner. Supports JavaScript, TypeScript, JSX, Python, Go, Rust, Java, C, C++, C#, Ruby, PHP and Bash. Searches directories as Grep does. Files over 1 MiB are skipped and listed. Stops after 30 seconds.",
  category: "code",
  sideEffect: "read_only",
  idempotent: true,
  optionality: "required",
  usageHint:
    "To see what a file defines, or where a function, class or variable is defined and used",
  inputSchema: {
    type: "object",
    properties: {
      action: {
        type: "string",
        enum: ["outline", "definitions", "references"],
        description: "The action.",
      },
      path: {
        type: "string",
        minLength: 1,
        description:
          "For outline the file, otherwise the file or directory to search. Default: the working directory.",
      },
      name: {
        type: "string",
        minLength: 1,
        maxLength: 500,
        description: "The name without its owner: area, not Shape.area. Not for outline.",
      },
      language: {
        type: "string",
        enum: [
          ...["bash", "c", "cpp", "csharp", "go", "java", "javascript", "php", "python"] as const,
          ...["ruby", "rust", "typescript"] as const,
        ],
        description:
          "The only language to search in a directory, or the language of a file without a known extension.",
      },
      head_limit: {
        type: "integer",
        minimum: 1,
        default: 200,
        description: "The maximum number of lines to show.",
      },
      offset: {
        type: "integer",
        minimum: 0,
        default: 0,
        description: "The number of lines to skip first.",
      },
    },
    required: ["action"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "Definitions in a file",
      input: { action: "outline", path: "src/math.ts" },
      expect: "1-3: function add – export function add(a: number, b: number): number {",
    },
    {
      description: "Where a function is defined",
      input: { action: "definitions", name: "add" },
      expect: "src/math.ts:1: function add – export function add",
    },
    {
      description: "Where it is used",
      input: { action: "references", name: "add", path: "$ROOT/src" },
      expect: "/src/main.ts:3: call add – ",
    },
    {
      description: "A file that is no code",
      input: { action: "outline", path: "notes.md" },
      expect: 'Cannot determine the language of "notes.md"; known: .js',
      isError: true,
    },
  ],
  rules({ action, path, name }) {
    const isOutline = action === "outline";
    const attempt = `Cannot look for ${action}`;
    return [
      ...problemFrom("/path", () => checkPath(path ?? ".")),
      ...problemIf(isOutline && path === undefined, "/path", "Cannot outline: path is missing"),
      ...problemIf(
        isOutline && name !== undefined,
        "/name",
        "Cannot outline: name is for the actions definitions and references",
      ),
      ...problemIf(!isOutline && name === undefined, "/name", `${attempt}: name is missing`),
      ...problemIf(
        !isOutline && name !== undefined && /\s/u.test(name),
        "/name",
        `${attempt}: a name has no blanks; search finds any text`,
      ),
    ];
  },
  permissions: {
    kinds: ["read"],
    needs: ({ path = "." }) => [{ name: "read", path: checkPath(path) }],
  },
  timeoutMs: 30_000,
  async run({ action, path = ".", name = "", language, head_limit, offset }, ctx) {
    const { findOccurrences, outlineFile } = await import("../src/toolkit/navigate/navigate.ts");
    const request = { path, language, limit: head_limit, offset };
    return action === "outline"
      ? await outlineFile(request, ctx)
      : await findOccurrences({ ...request, action, name }, ctx);
  },
});
