import { expect } from "@std/expect";
import { call } from "../../support/executable.ts";
import { type Args, repository, run } from "./navigate_runs.ts";
import { sources } from "./navigate_sources.ts";

/** `path:line: kind name – text` as `line kind name`, of one file. */
function entriesIn(file: string, answer: string): string[] {
  return answer.split("\n").filter((line) => line.startsWith(`${file}:`))
    .map((line) => line.slice(file.length + 1).replace(/^(\d+): (.*?) – .*$/, "$1 $2"));
}

Deno.test("navigate > definitions, references and outlines are found in every language", async () => {
  using directory = repository(sources.map(({ file, text }) => [file, text]));
  for (const { file, language, name, text, ...expected } of sources) {
    const args = { path: file, name, language } as const;
    const definitions = await run(directory.path, { action: "definitions", ...args } as Args);
    const references = await run(directory.path, { action: "references", ...args } as Args);
    const [head, ...tree] = (await run(directory.path, { action: "outline", path: file })).split(
      "\n",
    );
    expect({
      file,
      definitions: entriesIn(file, definitions),
      references: entriesIn(file, references),
      outline: tree.map((line) => line.replace(/^( *)(\S+): (.*?) – .*$/, "$1$2 $3")),
    }).toEqual({ file, ...expected });
    expect(head).toMatch(new RegExp(`^${file}: .*, ${text.split("\n").length - 1} lines$`));
    const [count, other] = [expected.references.length, expected.definitions.length];
    expect(definitions).toContain(`[Not among them: ${count} reference`);
    expect(references).toContain(`[Not among them: ${other} definition`);
    for (const line of definitions.split("\n").filter((line) => line.startsWith(file))) {
      const [, number, shown] = /:(\d+): .*? – (.*)$/.exec(line)!;
      expect(text.split("\n")[Number(number) - 1]!.trim()).toBe(shown);
    }
  }
});

Deno.test("navigate > the executable returns the same, with all permissions and with one directory", async () => {
  using directory = repository(sources.map(({ file, text }) => [file, text]));
  const rows: [path: string, flag: string][] = [
    ["web", "-A"],
    [".", `--allow-read=${directory.path}`],
  ];
  let expected = "";
  for (const [path, flag] of rows) {
    const args = { action: "definitions", name: "area", path } as const;
    expected = await run(directory.path, args);
    const result = await call("navigate", args, { flags: [flag], cwd: directory.path });
    expect([flag, result.exit, result.text]).toEqual([flag, 0, expected]);
  }
  const files = expected.split("\n").map((line) => line.split(":")[0]!).filter((line) =>
    sources.some(({ file }) => file === line)
  );
  expect(files).toEqual([...files].sort());
  expect(new Set(files).size).toBeGreaterThan(7);
});

Deno.test("navigate > CRLF, byte order marks, syntax errors and binary files are handled", async () => {
  using directory = repository([
    ["crlf.py", "x = 1\r\ndef area():\r\n    return 1\r\n"],
    ["mark.ts", "\ufefffunction area() {}\r\nconst é𝒳 = 1, 变量 = area();\n"],
    [
      "wide.js",
      new Uint8Array([0xff, 0xfe, ...[..."class area {}"].flatMap((c) => [c.charCodeAt(0), 0])]),
    ],
    ["broken.go", "package a\nfunc first() {}\nfunc ) ( {\n}}\nfunc area() {}\n"],
    ["empty.rs", ""],
    ["video.ts", new Uint8Array([0x47, 0x40, 0, 0x10, 97, 114, 101, 97])],
    ["long.js", `var area = 1;\n${"x();".repeat(400_000)}`],
    ["deep.js", `${"function area(){".repeat(3000)}${"}".repeat(3000)}`],
    ["wide_line.js", `/*${"-".repeat(400)}*/ function other() {}`],
    [".gitignore", "ignored.js\n"],
    ["ignored.js", "var area;\n"],
    ["readme.md", "area\n"],
    ["plain.h", "// A class\nint twice(int class, int new);\n"],
    ["plus.h", "/* One */\nclass Plus { int twice(); };\n"],
    ["script", "area() { :; }\n"],
  ]);
  Deno.symlinkSync("crlf.py", `${directory.path}/link.py`);
  const rows: [args: Partial<Args> & Pick<Args, "action">, expected: RegExp | string][] = [
    [
      { action: "definitions", name: "area", path: "crlf.py" },
      "crlf.py:2: function area – def area():",
    ],
    [
      { action: "references", name: "area", path: "mark.ts" },
      /^mark\.ts:2: call area – const é𝒳 = 1, 变量 = area\(\);\n/,
    ],
    [{ action: "definitions", name: "变量" }, /^mark\.ts:2: constant 变量 – const é𝒳/],
    [
      { action: "definitions", name: "area", path: "wide.js" },
      "wide.js:1: class area – class area {}",
    ],
    [
      { action: "outline", path: "broken.go" },
      /^broken.go: Go, 5 lines\n2: function first – .*\n.*5: function area – .*\n\n\[Not completely parsed: errors at lines? 3.*; definitions there may be missing\]$/s,
    ],
    [{ action: "outline", path: "empty.rs" }, "empty.rs: Rust, 0 lines\n[No definitions]"],
    [
      { action: "outline", path: "wide_line.js" },
      /^.*\n1: function other – …-{278}\*\/ function other\(\) \{\} \[… cut: a line of 424 characters\]\n\n\[1 long line was cut\]$/,
    ],
    [
      { action: "outline", path: "script", language: "bash" },
      /^script: Bash, 1 line\n1: function area/,
    ],
    [{ action: "outline", path: "plain.h" }, /^plain\.h: C, 2 lines\n2: declaration twice/],
    [{ action: "outline", path: "plus.h" }, /^plus\.h: C\+\+, 2 lines\n2: class Plus/],
    [
      { action: "definitions", name: "nothing" },
      'No definitions of "nothing" in "." (11 files in known languages)',
    ],
    [
      { action: "definitions", name: "Shape.area", language: "go" },
      /\(1 file in Go\); only the last part of a name/,
    ],
    [
      { action: "definitions", name: "area", path: "ignored.js" },
      "ignored.js:1: variable area – var area;",
    ],
  ];
  for (const [args, expected] of rows) {
    const text = await run(directory.path, args);
    const fits = typeof expected === "string" ? text.includes(expected) : expected.test(text);
    expect({ args, text, fits }).toEqual({ args, text, fits: true });
  }
  const all = await run(directory.path, { action: "definitions", name: "area" });
  expect(all).toContain('[Not completely parsed: "broken.go" (line');
  expect(all).toContain(
    '[Not searched: "long.js" (1.5 MiB, and 1.0 MiB is the most), "video.ts" (it is binary)]',
  );
  expect(all).not.toMatch(/^(ignored|link|readme)/m);
  // The names of deeply nested definitions are limited.
  expect(Math.max(...all.split("\n").map((line) => line.length))).toBeLessThan(1000);
});

Deno.test("navigate > an invalid call is refused with a reason", async () => {
  using directory = repository([["src/math.ts", "export function add() {}\n"], ["notes.md", ""]]);
  Deno.writeFileSync(`${directory.path}/logo.ts`, new Uint8Array([1, 0, 2]));
  Deno.writeFileSync(`${directory.path}/large.ts`, new Uint8Array(4 * 2 ** 20 + 1).fill(32));
  const rows: [args: Record<string, unknown>, exit: number, expected: RegExp][] = [
    [{ action: "outline" }, 5, /Cannot outline: path is missing/],
    [
      { action: "outline", path: "src/math.ts", name: "add" },
      5,
      /name is for the actions definitions/,
    ],
    [{ action: "references" }, 5, /Cannot look for references: name is missing/],
    [{ action: "definitions", name: "add this" }, 5, /a name has no blanks; search finds any text/],
    [{ action: "definitions", name: "" }, 5, /name/],
    [{ action: "definitions", name: "x", language: "cobol" }, 5, /language/],
    [{ action: "outline", path: "src" }, 1, /it is a directory; give a file/],
    [{ action: "outline", path: "src/maths.ts" }, 1, /no such file; similar: "src\/math\.ts"/],
    [{ action: "outline", path: "notes.md" }, 1, /known: \.js, .*\.bash; for other files/],
    [{ action: "outline", path: "logo.ts" }, 1, /Cannot outline "logo\.ts": it is binary/],
    [
      { action: "references", name: "x", path: "large.ts" },
      1,
      /4\.0 MiB, and 4\.0 MiB is the most/,
    ],
    [{ action: "definitions", name: "add", path: ".." }, 6, /--allow-read=/],
  ];
  for (const [args, exit, expected] of rows) {
    const flags = [`--allow-read=${directory.path}`];
    const result = await call("navigate", args, { flags, cwd: directory.path });
    expect({ args, exit: result.exit, text: result.text, fits: expected.test(result.text) })
      .toEqual({ args, exit, text: result.text, fits: true });
  }
});
