import { checkedNeeds } from "../../support/checked_needs.ts";
import { expect } from "@std/expect";
import { unitsOf } from "../../support/measure.ts";
import edit from "../../../tools/edit.ts";
import { call as run, toolcall } from "../../support/executable.ts";
import { scratchDirectory } from "../../support/scratch_directory.ts";
import { contextFor } from "../../support/tool_context.ts";

type Change = [old_string: string, new_string: string, replace_all?: boolean];

async function call(file_path: string, change: Change): Promise<string> {
  const [old_string, new_string, replace_all = false] = change;
  const args = { file_path, old_string, new_string, replace_all };
  expect(checkedNeeds(edit, args, "/", {}).map(({ name }) => name)).toEqual(["read", "write"]);
  const result = await edit.run(args, contextFor("/"));
  return typeof result === "string" ? result : "";
}

/** Edits a file of the given content; returns the result or the error's message, and the file. */
async function tried(
  content: string | Uint8Array,
  change: Change,
): Promise<[said: string, after: Uint8Array]> {
  using directory = scratchDirectory();
  const path = `${directory.path}/file`;
  Deno.writeFileSync(
    path,
    typeof content === "string" ? new TextEncoder().encode(content) : content,
  );
  const said = await call(path, change).catch((error) => error.message);
  expect([...Deno.readDirSync(directory.path)].length).toBe(1);
  return [said.replaceAll(path, "/file"), Deno.readFileSync(path)];
}

async function after(content: string, change: Change): Promise<string> {
  const [said, bytes] = await tried(content, change);
  expect(said).toMatch(/^Edited /);
  return new TextDecoder("utf-8", { ignoreBOM: true, fatal: true }).decode(bytes);
}

async function refusal(content: string, change: Change): Promise<string> {
  const [said, bytes] = await tried(content, change);
  expect(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)).toBe(content);
  expect(said).toMatch(/^Cannot edit "\/file": /);
  return said;
}

Deno.test("edit > J5 both strings are used literally", async (t) => {
  const rows: [before: string, change: Change, after: string][] = [
    ["a b c\n", ["b", "x"], "a x c\n"],
    ["a b c\n", ["b ", ""], "a c\n"],
    ["a\nb\nc", ["\nc", "\nd"], "a\nb\nd"],
    ["x = 1\n", ["1", "$& $1 $$ $` $'"], "x = $& $1 $$ $` $'\n"],
    ["a.*b [c] (d|e) \\ ^$ +?{2}\n", [".*b [c] (d|e) \\ ^$ +?{2}", "!"], "a!\n"],
    ["aXbXc\n", ["X", "", true], "abc\n"],
    ["aaaa\n", ["aa", "b", true], "bb\n"],
    ["𝒳é\n", ["é", "è"], "𝒳è\n"],
    ["\ufeffa\nb\n", ["a", "x"], "\ufeffx\nb\n"],
    ["no newline", ["no", "still no"], "still no newline"],
    ["a\n", ["a\n", ""], ""],
    ["a\r\nb\r\nc\r\n", ["a\nb\n", "x\ny\nz\n"], "x\r\ny\r\nz\r\nc\r\n"],
    ["a\r\nb\r\nc\r\n", ["a\r\nb\r\n", "x\r\ny\n"], "x\r\ny\r\nc\r\n"],
    ["a\r\nb\r\n", ["b", "b\nc"], "a\r\nb\r\nc\r\n"],
    ["a\r\nb\nc\n", ["b\nc", "x\ny"], "a\r\nx\ny\n"],
    ["a\nb\n", ["b", "b\r\nc"], "a\nb\nc\n"],
    ["a\nb\nc\n", ["a\r\nb\r\n", "x\r\n"], "x\nc\n"],
    ["a\r\nb\n", ["b", "b\r\nc"], "a\r\nb\r\nc\n"],
    ["\u0000".padEnd(1, "x").slice(1) + "tab\t|\n", ["\t", "    "], "tab    |\n"],
  ];
  for (const [before, change, expected] of rows) {
    await t.step(JSON.stringify([before, ...change]), async () => {
      expect(await after(before, change)).toBe(expected);
    });
  }
});

Deno.test("edit > bytes that are not UTF-8 are not changed", async () => {
  const latin1 = Uint8Array.from([
    0x63,
    0x61,
    0x66,
    0xe9,
    0x0a,
    0x61,
    0x62,
    0x63,
    0x64,
    0x65,
    0x0a,
    0xff,
  ]);
  const [said, bytes] = await tried(latin1, ["abcde", "x"]);
  expect(said).toContain("Edited");
  expect([...bytes]).toEqual([0x63, 0x61, 0x66, 0xe9, 0x0a, 0x78, 0x0a, 0xff]);
});

Deno.test("edit > the result is a unified diff", async (t) => {
  const ten = Array.from({ length: 10 }, (_, i) => `${i + 1}\n`).join("");
  const rows: [before: string, change: Change, diff: string][] = [
    [ten, ["5\n", "five\n"], "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8"],
    [ten, ["2\n3\n4\n", "2\n4\n"], "@@ -1,6 +1,5 @@\n 1\n 2\n-3\n 4\n 5\n 6"],
    [
      "a\nb",
      ["b", "c"],
      "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file",
    ],
    ["a\n", ["a\n", ""], "@@ -1,1 +0,0 @@\n-a"],
    [
      `x\n${"-\n".repeat(20)}x\n`,
      ["x\n", "y\nz\n", true],
      "@@ -1,4 +1,5 @@\n-x\n+y\n+z\n -\n -\n -\n@@ -19,4 +20,5 @@\n -\n -\n -\n-x\n+y\n+z",
    ],
    ["x\nx\n", ["x", "y", true], "@@ -1,2 +1,2 @@\n-x\n-x\n+y\n+y"],
  ];
  for (const [before, change, diff] of rows) {
    await t.step(JSON.stringify(change), async () => {
      const [said] = await tried(before, change);
      const [first, ...rest] = said.split("\n");
      expect(first).toMatch(/^Edited "\/file": \d replacements?$/);
      expect(rest.join("\n")).toBe(diff);
    });
  }
});

Deno.test("edit > the diff of a long line has the part around the change", async (t) => {
  const rows: [name: string, before: string, changed: string, after: string][] = [
    ["800 KB in one line", "a".repeat(400_000), "needle", "b".repeat(400_000)],
    ["240 KB in one line", "a".repeat(120_000), "needle", "b".repeat(120_000)],
    [
      "lines around a long one",
      `one\ntwo\n${"a".repeat(900)}`,
      "needle",
      `${"b".repeat(900)}\nthree\n`,
    ],
  ];
  for (const [name, before, changed, after] of rows) {
    await t.step(name, async () => {
      const [said] = await tried(before + changed + after, [changed, "pin"]);
      expect(said).toContain(`characters cut] ${"a".repeat(200)}needle${"b".repeat(294)} [... `);
      expect(said).toContain(`characters cut] ${"a".repeat(200)}pin${"b".repeat(297)} [... `);
      expect(said.length).toBeLessThan(1300);
    });
  }
  const lines = (text: string) => `${text}\n`.repeat(60);
  const [said] = await tried(lines("a".repeat(20_000)), [lines("a".repeat(20_000)), "b"]);
  expect(said).toContain("[At line 1 too much changes for a diff: 60 lines become 1 line]");
});

Deno.test("edit > two matches without replace_all are refused, and their lines are named", async () => {
  expect(await refusal("a\nb\na\n", ["a", "x"])).toBe(
    'Cannot edit "/file": old_string occurs 2 times, at lines 1 and 3; ' +
      "include surrounding lines to make it unique, or set replace_all",
  );
  expect(await refusal("a\n".repeat(30), ["a", "x"])).toContain("18, 19, 20 and 10 more places");
});

Deno.test("edit > the error says why nothing matches", async (t) => {
  const file =
    "function add(a, b) {\n  return a + b; // \u201csum\u201d\n}\n\nfunction sub(a, b) {\n  return a - b;\n}\n";
  const rows: [before: string, old: string, why: string][] = [
    [file, "\treturn a + b;", "only whitespace differs from line 2:\n     2\t  return a + b;"],
    [file, '// "sum"', "only quotes differ from line 2:"],
    [file, 'return  a + b; // "sum"\n}', "only quotes and whitespace differ from lines 2 to 3:"],
    ["a\r\nb\r\nc\n", "a\nb", "only line ends differ from lines 1 to 2:\n     1\ta\n     2\tb"],
    ["a\nb\r\nc\n", "a\r\nb", "only line ends differ from lines 1 to 2:"],
    [
      file,
      "function sub(a, b) {\n  return a * b;\n}\n",
      "the most similar region is lines 5 to 7; the first difference is in line 6:\n     5\tfunction sub(a, b) {\n     6\t  return a - b;",
    ],
    [file, "function substract(a, b)", "the most similar region is line 5:"],
    [file, "     2\t  return a + b;", "its lines start with line numbers that a result shows"],
    [
      file,
      "b) {\\n  return a + b;",
      "it has escape sequences where the file has the characters",
    ],
    [
      file,
      "completely unlike anything",
      "nothing similar was found; read the file again and copy the text exactly",
    ],
    [file, "return a / b;", "the new text is already in the file, at line 6"],
    ["", "x", "nothing similar was found"],
    ["x\u00a0y\n", "x y", "only whitespace differs from line 1"],
    ["a = 1\nb = 2", "b = 2\n", "only newlines at the start or the end differ from line 2:"],
    ["a\n\nb = 2\nc\n", "\n\n\nb = 2\n\nc", "the first difference is in line 4"],
    ["a\nb = 2\n", "\n\nb  = 2\n", "only whitespace and newlines at the start or the end differ"],
    ["foo();\nx\n", "     1\u2192foo();", "its lines start with line numbers that a result shows"],
    ["a\u0008b = 3\n", "ab = 3", "only invisible characters differ from line 1"],
    ["foo();\nx\n", "1 | foo();\n2 | x", "its lines start with line numbers that a result shows"],
    ["foo();\nx\n", "1:foo();\n2-x", "its lines start with line numbers that a result shows"],
    ["\u0441onst x = 1;\n", "const x = 1;", "[Last difference: the file has U+0441 (\u0441) where"],
    [
      "color = \u001b[0mb\n",
      "color = b",
      "the file has U+001B (escape) where old_string has U+0062",
    ],
    [
      `x = "${"-".repeat(300)}one";\n`,
      `x = "${"-".repeat(300)}two";`,
      'at character 306 of line 1 the file has "one\\";" where old_string has "two\\";"',
    ],
  ];
  for (const [before, old, why] of rows) {
    await t.step(
      why,
      async () => expect(await refusal(before, [old, "return a - b;"])).toContain(why),
    );
  }
});

Deno.test("edit > a difference between a line end and a visible character is not pointed out", async () => {
  const said = await refusal("a();\nfoo();\nx\n", ["     1\u2192foo();", "bar();"]);
  expect(said).toMatch(/the most similar region is line 2:\n {5}2\tfoo\(\);$/);
});

Deno.test("edit > an edit of a file that cannot be edited is refused", async (t) => {
  using directory = scratchDirectory();
  const at = (name: string) => `${directory.path}/${name}`;
  Deno.writeTextFileSync(at("hello.txt"), "hello\n");
  Deno.writeFileSync(at("zip"), new TextEncoder().encode("PK\x03\x04\0\0"));
  Deno.writeTextFileSync(at("large"), "");
  Deno.truncateSync(at("large"), (64 << 20) + 1);
  expect(new Deno.Command("mkfifo", { args: [at("fifo")] }).outputSync().success).toBe(true);
  const rows: [path: string, change: Change, why: string][] = [
    [at("helo.txt"), ["a", "b"], `no such file; similar: "${at("hello.txt")}"`],
    [at("zip"), ["a", "b"], "it is a zip archive"],
    [at("large"), ["a", "b"], "it has 64.0 MiB; Edit takes files of up to 64.0 MiB"],
    [at("fifo"), ["a", "b"], "it is a named pipe (FIFO)"],
    [directory.path, ["a", "b"], "it is a directory"],
    ["/dev/zero", ["a", "b"], "it is a device"],
  ];
  for (const [path, change, why] of rows) {
    await t.step(why, async () => {
      await expect(call(path, change)).rejects.toThrow(`Cannot edit "${path}": ${why}`);
    });
  }
});

Deno.test("edit > J5 the cost and the result of an edit are bounded", async (t) => {
  const equal = "the very same line\n".repeat(20_000);
  const rows: [name: string, before: string, change: Change, said: RegExp][] = [
    [
      "20,000 equal lines, one match requested",
      equal,
      ["same", "x"],
      /20,000 times, at lines 1, 2, .* and 19,980 more places/,
    ],
    [
      "20,000 equal lines, all",
      equal,
      ["same", "x", true],
      /^Edited "\/file": 20,000 replacements\n@@ -1,40 \+1,40 @@\n.*\+the very x line\n.*\[19,960 more replacements not shown\]$/s,
    ],
    [
      "20,000 equal lines, half of them",
      equal,
      [equal.slice(0, equal.length / 2), "x"],
      /10,001 times, at lines 1, 2,/,
    ],
    [
      "20,000 equal lines, none",
      equal,
      [equal + "x", "y"],
      /most similar region is lines 1 to 20001/,
    ],
    ["equal lines searched in equal lines", equal, [
      "the  very same line\n".repeat(10_000) + "z",
      "y",
    ], /most similar region is lines 1 to/],
    ["all lines become one", equal, [equal, "x"], /^Edited "\/file": 1 replacement\n/],
    ["all lines change", Array.from({ length: 20_000 }, (_, i) => `${i}\n`).join(""), [
      "\n",
      ";\n",
      true,
    ], /20,000 replacements\n.*\n\+39;\n.*\[19,960 more replacements not shown\]$/s],
    ["aaaa", "a".repeat(1 << 20), ["a".repeat(1 << 16) + "b", "x"], /was not found/],
    [
      "one long line",
      "a".repeat(1 << 22) + "b",
      ["ab", "x"],
      /^Edited "\/file": 1 replacement\n@@ -1,1 \+1,1 @@\n-\[... 4,193,805 characters cut\] a{499}b\n\\.*\n\+\[.*\] a{499}x\n\\.*$/,
    ],
    ["regex characters", "(a+)+$\n".repeat(9999) + "(a*)*$\n", ["(a*)*$", "(.*)+"], /\+\(\.\*\)\+/],
  ];
  for (const [name, before, change, pattern] of rows) {
    await t.step(name, async () => {
      let said = "";
      const units = await unitsOf(async () => [said] = await tried(before, change));
      expect(units).toBeLessThan(30);
      expect(said).toMatch(pattern);
      expect(said.length).toBeLessThan(20_000);
    });
  }
});

Deno.test("edit > no edit is lost when edits run at the same time in this process", async () => {
  using directory = scratchDirectory();
  const path = `${directory.path}/file`;
  Deno.writeTextFileSync(path, Array.from({ length: 40 }, (_, i) => `<${i}>\n`).join(""));
  await Promise.all(Array.from({ length: 40 }, (_, i) => call(path, [`<${i}>`, `done ${i}.`])));
  expect(Deno.readTextFileSync(path)).toBe(
    Array.from({ length: 40 }, (_, i) => `done ${i}.\n`).join(""),
  );
});

Deno.test("edit > an edit waits for the lock, and fails when the call is cancelled", async () => {
  using directory = scratchDirectory();
  const path = `${directory.path}/file`;
  Deno.writeTextFileSync(path, "a\n");
  using file = Deno.openSync(path, { read: true });
  file.lockSync(true);
  const context = contextFor("/", { signal: AbortSignal.timeout(100) });
  const args = { file_path: path, old_string: "a", new_string: "b", replace_all: false };
  const running = Promise.resolve(edit.run(args, context));
  await expect(running).rejects.toThrow("aborted due to timeout");
  expect(Deno.readTextFileSync(path)).toBe("a\n");
});

Deno.test("edit > the error names the characters whose difference cannot be seen", async (t) => {
  const rows: [what: string, before: string, old: string, said: string[]][] = [
    ["single quotes", "x = 'alpha'\n", 'x = "alpha"', ["only quotes differ from line 1"]],
    ["curly quotes", "x = “alpha”\n", 'x = "alpha"', ["only quotes", "U+201C", "U+0022"]],
    ["a decomposed letter", "cafe\u0301 x\n", "caf\u00e9 x", [
      "only composed and decomposed letters differ",
      "U+0065 U+0301",
      "U+00E9",
    ]],
    ["a composed letter", "caf\u00e9 x\n", "cafe\u0301 x", ["U+00E9", "U+0065 U+0301"]],
    ["a no-break space", "café\u00a0x\n", "café x", [
      "only whitespace differs from line 1",
      "the file has U+00A0 (no-break space) where old_string has U+0020 (space)",
    ]],
    ["a dash", "a \u2013 b\n", "a - b", ["only dashes differ", "U+2013 (en dash)", "U+002D"]],
    ["a hyphen", "a\u2011b\n", "a-b", ["only dashes differ", "U+2011 (non-breaking hyphen)"]],
    ["a zero-width space", "foo\u200bbar\n", "foobar", [
      "only invisible characters differ",
      "U+200B (zero-width space)",
    ]],
    ["a zero-width space in old_string", "foobar\n", "foo\u200bbar", ["U+200B (zero-width space)"]],
    ["several", "x = ‘a\u00a0–\u00a0b’\n", "x = 'a - b'", ["quotes and dashes and whitespace"]],
  ];
  for (const [what, before, old, said] of rows) {
    await t.step(what, async () => {
      const text = await refusal(before, [old, "new"]);
      for (const part of said) expect(text).toContain(part);
    });
  }
});

Deno.test("edit > matches in one line are reported, and so is CRLF that became LF", async () => {
  expect(await refusal("aaa\n", ["aa", "x"])).toContain("2 times, all in line 1;");
  expect(await refusal("a a\na\n", ["a", "x"])).toContain("3 times, at lines 1 and 2;");
  const [said] = await tried("alpha\nbeta\n", ["beta", "b1\r\nb2"]);
  expect(said).toContain(
    "[The file has LF line endings, so CRLF in new_string was written as LF]",
  );
  for (const before of ["a\nb\n", "a\r\nb\r\n"]) {
    expect(await refusal(before, ["a\nb", "a\r\nb"])).toContain(
      "differ only in their line endings",
    );
  }
});

Deno.test("edit > equal strings are invalid before authorization, and an empty old_string creates a file", async (t) => {
  using directory = scratchDirectory();
  const file_path = `${directory.path}/new/file`;
  const flags = [`--allow-read=${directory.path}`, `--allow-write=${directory.path}`];
  const edit = (old_string: string, new_string: string) => ({ file_path, old_string, new_string });
  await t.step("equal strings", async () => {
    for (const same of ["same", ""]) {
      expect(await run("Edit", edit(same, same))).toMatchObject({ exit: 5 });
    }
    const args = ["check", "-A", "Edit", JSON.stringify(edit("same", "same"))];
    expect(await toolcall(args)).toMatchObject({ code: 5 });
  });
  await t.step("a missing file", async () => {
    expect(await run("Edit", edit("", "one\ntwo\n"), { flags })).toMatchObject({
      exit: 0,
      text: `Created "${file_path}" (2 lines)`,
    });
    expect(Deno.readTextFileSync(file_path)).toBe("one\ntwo\n");
  });
  await t.step("an existing file", async () => {
    const { exit, text } = await run("Edit", edit("", "other"), { flags });
    expect({ exit, text }).toMatchObject({ exit: 5 });
    expect(text).toContain("use Write");
    expect(Deno.readTextFileSync(file_path)).toBe("one\ntwo\n");
  });
});
