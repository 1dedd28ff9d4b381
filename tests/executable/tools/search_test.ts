import { expect } from "@std/expect";
import search from "../../../tools/search.ts";
import { call, temporaryDirectory } from "../../support/executable.ts";
import { contextFor } from "../../support/tool_context.ts";

/** Every mark that means something to a regular expression or to ripgrep's command line. */
const MARKS = [
  ...[
    "a.b",
    "f(x)",
    "[0]",
    "{2}",
    "x+y",
    "x*",
    "a|b",
    "^a$",
    "\\d",
    "why?",
    "#&~",
    "--pre=./x",
    "-e",
  ],
  ...["$(id)", "`id`", "é-ß", '"q"', "'q'", "a/b", "<T>", "!x", "%s", "@", ",;:"],
];

Deno.test("search > a query is matched literally", async () => {
  using directory = temporaryDirectory();
  Deno.writeTextFileSync(`${directory.path}/f.txt`, MARKS.map((mark) => `<${mark}>\n`).join(""));
  // Lines that the marks would match as patterns.
  Deno.writeTextFileSync(`${directory.path}/g.txt`, "axb\nfx\n0\nxx\na\n1\nwh\nxxy\n");
  const flags = [`--allow-read=${directory.path}`];
  const run = async (query: string) => {
    const args = { query, regex: false, ignore_case: false, context: 0, limit: 200, offset: 0 };
    return String(await search.run(args, contextFor(directory.path)));
  };
  for (const [at, mark] of MARKS.entries()) {
    const expected = MARKS.flatMap((each, line) =>
      `<${each}>`.includes(mark) ? `f.txt:${line + 1}:<${each}>` : []
    ).join("\n");
    expect([mark, await run(mark)]).toEqual([mark, expected]);
    if (at % 6 > 0) continue;
    const { text, isError } = await call("search", { query: mark }, { flags, cwd: directory.path });
    expect([mark, text, isError]).toEqual([mark, expected, false]);
  }
});

Deno.test("search > it returns matches with context, respects the limit, and reports errors", async () => {
  using directory = temporaryDirectory();
  const { path: cwd } = directory;
  Deno.mkdirSync(`${cwd}/src`);
  const lines = Array.from({ length: 300 }, (_, at) => `line ${at + 1}\n`).join("");
  Deno.writeTextFileSync(`${cwd}/src/a.ts`, lines);
  Deno.writeTextFileSync(`${cwd}/src/b.md`, "Line 7\nnext\n");
  const flags = [`--allow-read=${cwd}`];
  const rows: [args: Record<string, unknown>, exit: number, expected: RegExp][] = [
    [{ query: "line 7" }, 0, /^src\/a\.ts:7:line 7\nsrc\/a\.ts:70:/],
    [{ query: "line 7", ignore_case: true, glob: "*.md" }, 0, /^src\/b\.md:1:Line 7$/],
    [
      { query: "line 7$", regex: true, context: 1 },
      0,
      /^src\/a\.ts-6-line 6\n.*:7:.*\n.*-8-line 8$/,
    ],
    [{ query: "7\nnext", path: "src" }, 0, /^src\/b\.md:1:Line 7\nsrc\/b\.md:2:next$/],
    [{ query: "line" }, 0, /\[Showing lines 1 to 200 of 300; for more set offset to 200\]$/],
    [{ query: "line", offset: 299 }, 0, /^src\/a\.ts:300:line 300\n\n\[Showing/],
    [{ query: "a.b(c" }, 0, /^No matches for "a\.b\(c" in/],
    [{ query: "(", regex: true }, 1, /unclosed group/],
    [{ query: "x", path: "missing" }, 1, /no such file or directory/],
    [{ query: "x", path: "/etc" }, 6, /--allow-read=\/etc/],
    [{ query: "" }, 5, /query/],
  ];
  for (const [args, exit, expected] of rows) {
    const result = await call("search", args, { flags, cwd });
    expect({ args, exit: result.exit, text: result.text, fits: expected.test(result.text) })
      .toEqual({ args, exit, text: result.text, fits: true });
  }
});
