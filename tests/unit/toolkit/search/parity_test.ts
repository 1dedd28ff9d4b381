import { expect } from "@std/expect";
import { rgPath } from "@vscode/ripgrep";
import { MAX_LINE_LENGTH } from "../../../../src/toolkit/search/result_line.ts";
import Grep from "../../../../tools/grep.ts";
import { contextFor } from "../../../support/tool_context.ts";
import { makeSearchTree } from "./search_tree.ts";

type Input = Record<string, unknown>;

/** Calls Grep as the engine would, with the defaults of its schema. */
async function grep(root: string, input: Input, rg?: string): Promise<string> {
  const args = {
    pattern: "",
    output_mode: "files_with_matches" as const,
    "-n": true,
    "-i": false,
    "-o": false,
    multiline: false,
    head_limit: 250,
    offset: 0,
    ...input,
  };
  // ripgrep takes a glob with a slash from its own working directory.
  const context = contextFor(root, rg === undefined ? {} : { rg });
  const cwd = Deno.cwd();
  Deno.chdir(root);
  try {
    return String(await Grep.run(args, context));
  } catch (error) {
    return `Error: ${error instanceof Error ? error.message : error}`;
  } finally {
    Deno.chdir(cwd);
  }
}

const CASES: Input[] = [
  ...[
    "TODO",
    "foo",
    "^$",
    "$",
    "x*",
    "\\s",
    "[^a]",
    "(a|a)*$",
    "\\bfoo\\b",
    "caf[^ ]+ au",
    "\\Afoo",
  ]
    .flatMap((pattern) => [
      { pattern },
      { pattern, output_mode: "count" },
      { pattern, output_mode: "content" },
      { pattern, output_mode: "content", "-i": true, "-n": false, offset: 3, head_limit: 7 },
      { pattern, output_mode: "content", "-C": 2, path: "many.c" },
      { pattern, output_mode: "content", "-A": 1, "-C": 3, glob: "*.{ts,c,txt}", head_limit: 200 },
      { pattern, output_mode: "content", "-B": 2, multiline: true, glob: "!*a*", type: "all" },
    ]),
  ...["foo\\(\\n", "\\n\\n", "(?s)TODO.*foo", "\\)\\s*;?\\n", "e\\s+foo", "TODO\\r?\\n", "[^x]+"]
    .flatMap((pattern) => [
      { pattern, multiline: true },
      { pattern, multiline: true, output_mode: "content" },
      { pattern, multiline: true, output_mode: "count", path: "sub" },
    ]),
  ...["foo(", "a\\nb", "[\\n]", "(?=x)", "\\1", "a**{", "[z-a]", "\\p{Foo}", "\\x00", "\\w{3000}"]
    .map((pattern) => ({ pattern })),
  ...[
    "*.ts",
    "sub/**",
    "/sub/*.ts",
    "!sub",
    "*.log",
    "build",
    "build/**",
    ".env",
    ".hidden/**",
    "q?z",
    "q??z",
  ]
    .concat(
      "--pre=x",
      "-rf",
      "[",
      "{a",
      "a}",
      "#x",
      "",
      "a[[]b]",
      "{sub,repository}/**/*",
      "\\-rf",
      "[!a]*",
    )
    .map((glob) => ({ pattern: "TODO", glob })),
  ...[
    "binary.bin",
    "late_nul.txt",
    "very_late_nul.txt",
    "utf16le.txt",
    "utf8_bom.ts",
    "new\nline",
    "-rf",
  ]
    .concat(
      "debug.log",
      "build",
      "loop",
      "link.ts",
      "sub/up",
      ".hidden",
      "repository",
      "big.txt",
      "--pre=x",
    )
    .flatMap((path) => [
      { pattern: "TODO", path },
      { pattern: "TODO|foo", path, output_mode: "content", "-C": 1 },
    ]),
  ...["--pre=./x", "-e", "--", "-rf", "--files"].map((pattern) => ({
    pattern,
    output_mode: "content",
  })),
  ...["ts", "js", "make", "all", "nope"].map((type) => ({ pattern: "TODO", type })),
  ...["class.*?end", ".", "foo.*TODO", "TODO.", "a.$", "^.{0,3}\\n", "(?-s:foo.*)", "\\s.foo"]
    .flatMap((pattern) => [
      { pattern, multiline: true },
      { pattern, multiline: true, output_mode: "content", head_limit: 40 },
      { pattern, multiline: true, output_mode: "count", glob: "*.ts" },
    ]),
  ...["TODO", "foo", "x*", "^", "\\w+", "[^ ]o", "caf.", "a+", "^|foo", "\\bTODO\\b", "o{2}|TO"]
    .flatMap((pattern) => [
      { pattern, output_mode: "content", "-o": true, head_limit: 0 },
      { pattern, output_mode: "content", "-o": true, context: 1, path: "sub" },
      { pattern, output_mode: "content", "-o": true, "-A": 2, glob: "*.{ts,c,txt}", "-n": false },
      { pattern, output_mode: "content", "-o": true, multiline: true, head_limit: 99, offset: 3 },
      { pattern, output_mode: "count", "-o": true, head_limit: 0 },
    ]),
  ...["foo\\(.*?\\)", "TODO.*?foo", "\\n+", "foo.", "\\s+", "e\\r?\\n."].map((pattern) => ({
    ...{ pattern, output_mode: "content", "-o": true, multiline: true, "-B": 1, head_limit: 300 },
  })),
  ...[
    ...["*.ts,*.c", "*.ts *.c", " *.ts , !sub/** ", "*.{ts,c},*.md", "*,!*.ts,*.ts", ",", "[a,b]*"],
    ...["a\\ space", "{*.ts, *.c}", "**", "*", ".git/**", ".git", "vcs/**", ".*", "!.env,.*"],
    ...["*.ts,{a", "*.ts,["],
  ].flatMap((glob) => [
    { pattern: "TODO", glob, head_limit: 0 },
    { pattern: "TODO", glob, output_mode: "count", head_limit: 0 },
  ]),
  ...[".git", ".git/hooks", ".git/hooks/TODO", "vcs", "vcs/.hg", "vcs/jj", ".hidden"].map((
    path,
  ) => ({
    ...{ pattern: "TODO", path, output_mode: "count" },
  })),
];

Deno.test("grep > the built-in engine answers as ripgrep does", async () => {
  const root = makeSearchTree();
  expect(CASES.length).toBeGreaterThan(60);
  const different: Input[] = [];
  for (const input of CASES) {
    const expected = await grep(root, input, rgPath);
    const got = await grep(root, input);
    if (got !== expected) different.push({ input, expected, got });
  }
  expect(different).toEqual([]);
  Deno.removeSync(root, { recursive: true });
});

/** Parts of patterns that are of bytes; those of the second line may match what is not UTF-8. */
const BYTES = [
  ...["\\w", "\\b", "\\B", "\\d", "\\s", "[a-z]", "é", "\\b{start}", "\\x41", "[[:word:]]", "$"],
  ...["\\xff", "\\xC3\\xA9", ".", "[^a]", "\\W", "[\\x80-\\xff]", "a|\\xff", "\\S", "[[:^ascii:]]"],
].map((part) => `(?-u:${part})`);

Deno.test("grep > the built-in engine answers a pattern of bytes as ripgrep does, or says that only ripgrep can", async () => {
  const root = makeSearchTree();
  const patterns = BYTES.flatMap((part) => [part, `f${part}`, `${part}+ `, `(?:x|${part})o`]);
  const seen = { alike: 0, refused: 0, different: [] as Input[] };
  for (const pattern of patterns) {
    for (const options of [{}, { multiline: true, "-o": true }]) {
      const input = { pattern, path: "latin1.txt", output_mode: "content", ...options };
      const expected = await grep(root, input, rgPath);
      const got = await grep(root, input);
      if (got === expected) seen.alike++;
      else if (got.includes("only ripgrep matches single bytes")) seen.refused++;
      else seen.different.push({ input, expected, got });
    }
  }
  expect(seen).toEqual({ alike: 88, refused: 72, different: [] });
  Deno.removeSync(root, { recursive: true });
});

/** The arguments that the published Grep gives ripgrep in every call. */
const PUBLISHED = [".git", ".svn", ".hg", ".bzr", ".jj", ".sl"].reduce(
  (args, name) => [...args, "--glob", `!${name}`],
  ["--hidden"],
);

const DIRECT: [Input, string[]][] = [
  [{ pattern: "TODO" }, ["-l", "TODO"]],
  [{ pattern: "TODO", output_mode: "count" }, ["-c", "TODO"]],
  [{ pattern: "foo", output_mode: "content" }, ["-n", "foo"]],
  [{ pattern: "foo", output_mode: "content", "-n": false }, ["-N", "foo"]],
  [{ pattern: "todo", output_mode: "content", "-i": true, "-C": 2 }, ["-n", "-i", "-C2", "todo"]],
  [{ pattern: "foo", output_mode: "content", "-A": 1, "-B": 3 }, ["-n", "-A1", "-B3", "foo"]],
  [{ pattern: "foo\\(\\n", output_mode: "content", multiline: true }, ["-n", "-U", "foo\\(\\n"]],
  [{ pattern: "fn.*?TODO", output_mode: "content", multiline: true }, [
    ...["-n", "-U", "--multiline-dotall", "fn.*?TODO"],
  ]],
  [{ pattern: "foo.", output_mode: "content", "-o": true }, ["-n", "-o", "foo."]],
  [{ pattern: "foo", output_mode: "content", "-o": true, context: 1, "-A": 9, "-C": 7 }, [
    ...["-n", "-o", "-C1", "foo"],
  ]],
  [{ pattern: "foo", output_mode: "content", "-A": 9, "-B": 8, "-C": 2 }, ["-n", "-C2", "foo"]],
  [{ pattern: "TODO", glob: "*.ts,*.c *.{md,rs}" }, [
    ...["-l", "-g", "*.ts", "-g", "*.c", "-g", "*.{md,rs}", "TODO"],
  ]],
  [{ pattern: "TODO", glob: "sub/**" }, ["-l", "-g", "sub/**", "TODO"]],
  [{ pattern: "TODO", glob: "!*.ts" }, ["-l", "-g", "!*.ts", "TODO"]],
  [{ pattern: "TODO", type: "ts" }, ["-l", "-t", "ts", "TODO"]],
  [{ pattern: "TODO", path: "sub" }, ["-l", "TODO", "sub"]],
];

Deno.test("grep > answers what ripgrep prints", async (t) => {
  const root = makeSearchTree();
  for (const [input, args] of DIRECT) {
    await t.step(args.join(" "), async () => {
      const direct = await new Deno.Command(rgPath, {
        args: [
          "--no-config",
          "--no-ignore-global",
          "--no-mmap",
          "--sort=path",
          ...PUBLISHED,
          ...args,
        ],
        cwd: root,
        stdin: "null",
      }).output();
      const text = new TextDecoder().decode(direct.stdout).replace(/\n$/, "");
      const wanted = text.split("\n").filter((line) => line.length < MAX_LINE_LENGTH);
      const got = (await grep(root, { head_limit: 0, ...input }, rgPath)).split("\n\n[")[0]!;
      const lines = got.split("\n").filter((line) => !line.includes("[… cut:"));
      // The names of files come in the order of their time.
      const isSorted = !args.includes("-l");
      expect(isSorted ? lines : lines.toSorted()).toEqual(isSorted ? wanted : wanted.toSorted());
    });
  }
  Deno.removeSync(root, { recursive: true });
});

Deno.test("parity > the table of file types is ripgrep's own", async () => {
  const { default: fileTypes } = await import("../../../../src/toolkit/search/file_types.json", {
    with: { type: "json" },
  });
  const { stdout } = await new Deno.Command(rgPath, { args: ["--no-config", "--type-list"] })
    .output();
  const listed = new TextDecoder().decode(stdout).trimEnd().split("\n");
  expect(
    Object.entries(fileTypes).map(([name, globs]) => `${name}: ${globs.replaceAll(" ", ", ")}`),
  )
    .toEqual(listed);
});
