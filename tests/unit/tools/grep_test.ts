import { expect } from "@std/expect";
import { unitsOf } from "../../support/measure.ts";
import { join } from "node:path";
import Grep from "../../../tools/grep.ts";
import { contextFor } from "../../support/tool_context.ts";

type Context = ReturnType<typeof contextFor>;
type Options =
  & NonNullable<Parameters<typeof contextFor>[1]>
  & Partial<Pick<Context, "startHelper">>;

async function grep(
  root: string,
  input: Record<string, unknown>,
  { startHelper, ...options }: Options = {},
): Promise<string> {
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
  const context = contextFor(root, options);
  return String(await Grep.run(args, startHelper ? { ...context, startHelper } : context));
}

function makeTree(files: Record<string, string>): string {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  for (const [path, text] of Object.entries(files)) {
    Deno.mkdirSync(join(root, path, ".."), { recursive: true });
    Deno.writeTextFileSync(join(root, path), text);
  }
  return root;
}

function numbered(count: number, text: string): string {
  return Array.from({ length: count }, (_, i) => `${text} ${i + 1}\n`).join("");
}

Deno.test("grep > the result has a page of lines, and says how to get the rest", async () => {
  const root = makeTree({ "a.txt": numbered(10, "hit") });
  const input = { pattern: "hit", output_mode: "content", head_limit: 3 };
  expect(await grep(root, input)).toBe(
    "a.txt:1:hit 1\na.txt:2:hit 2\na.txt:3:hit 3\n\n[Showing lines 1 to 3 of 10; for more set offset to 3]",
  );
  const last = await grep(root, { ...input, offset: 9 });
  expect(last).toBe("a.txt:10:hit 10\n\n[Showing lines 10 to 10 of 10]");
  const past = await grep(root, { ...input, offset: 10 });
  expect(past).toBe("[Nothing from offset 10: there are 10 lines in all]");
});

Deno.test("grep > the result is bounded, and reports each cut", async () => {
  const root = makeTree({
    "a.txt": numbered(5000, "hit me"),
    "b.js": `hit${"x".repeat(90_000)}\n`,
  });
  const some = await grep(root, { pattern: "hit", output_mode: "content" });
  expect(some).toMatch(/\n\n\[Showing lines 1 to 250 of 5001; for more set offset to 250\]$/);
  const input = { pattern: "hit", output_mode: "content", head_limit: 0 };
  const all = await grep(root, input);
  expect(all.length).toBeLessThan(30_200);
  expect(all).toMatch(/\[Showing lines 1 to \d+ of 5001; for more set offset to \d+\]$/);
  const long = await grep(root, { pattern: "hit", path: "b.js", output_mode: "content" });
  expect(long.length).toBeLessThan(700);
  expect(long).toContain("[… cut: a line of 90003 bytes]\n\n[1 long line was cut]");
});

Deno.test("grep > a long line is shown around its first match", async (t) => {
  const rows: [letter: string, sizes: [before: number, after: number][]][] = [
    ["a", [[3000, 3000], [100, 3000], [400, 90_000], [3000, 0], [900_000, 9000]]],
    ["a", [[63_000, 9000], [65_500, 9000], [65_536, 0]]],
    ["\u20ac", [[3000, 3000], [70_000, 70_000]]],
    ["\u{1f600}", [[70_000, 5]]],
  ];
  const root = makeTree({});
  const cases = rows.flatMap(([letter, sizes]) => sizes.map((size) => [letter, ...size] as const));
  for (const [letter, before, after] of cases) {
    await t.step(`${before} times ${letter}, ${after} after it`, async () => {
      const text = `${letter.repeat(before)}needle${letter.repeat(after)} needle`;
      Deno.writeTextFileSync(join(root, "long"), `one\n${text}\r\ntwo\n`);
      const said = await grep(root, {
        ...{ pattern: "needle", path: "long", output_mode: "content", "-C": 1 },
        "-n": after > 0,
      });
      const cut = ` [\u2026 cut: a line of ${new TextEncoder().encode(text).length + 1} bytes]`;
      const [first, line = "", last] = said.split("\n");
      expect([first, last]).toEqual(
        after > 0 ? ["long-1-one", "long-3-two"] : ["long-one", "long-two"],
      );
      expect(line).toContain(`${letter}needle`);
      expect(line.endsWith(cut)).toBe(true);
      const shown = line.slice(after > 0 ? 7 : 5, -cut.length);
      expect(shown.length).toBeGreaterThan(495);
      expect(shown.length).toBeLessThan(502);
      expect(shown.startsWith("\u2026")).toBe(before > 200);
      expect(text + "\r").toContain(shown.replace(/^\u2026/, ""));
    });
  }
  Deno.removeSync(root, { recursive: true });
});

Deno.test("grep > a pattern with \\| that matches nothing gets a hint", async () => {
  const root = makeTree({ "a.txt": "needle\na|b\n" });
  const hint = '["\\|" in pattern matches the character "|"; for alternatives use "|"]';
  const missing = String.raw`needle\|foo`;
  expect(await grep(root, { pattern: missing })).toBe(
    `No matches for "${missing}" in "${root}"\n\n${hint}`,
  );
  expect(await grep(root, { pattern: String.raw`a\|b` })).toBe("a.txt");
  expect(await grep(root, { pattern: String.raw`x\\|y` })).not.toContain("alternatives");
  Deno.removeSync(root, { recursive: true });
});

Deno.test("grep > paths are shown in the form of the given directory", async () => {
  const root = makeTree({ "sub/a.txt": "hit\n" });
  expect(await grep(root, { pattern: "hit" })).toBe("sub/a.txt");
  expect(await grep(root, { pattern: "hit", path: "./sub/" })).toBe("sub/a.txt");
  expect(await grep(root, { pattern: "hit", path: root })).toBe(`${root}/sub/a.txt`);
  expect(await grep(root, { pattern: "hit", path: `${root}/sub/a.txt` }))
    .toBe(`${root}/sub/a.txt`);
});

Deno.test("grep > a glob is relative to the searched directory outside the working directory", async () => {
  const root = makeTree({ "src/a.ts": "hit\n", "lib/src/a.ts": "hit\n", "[x]/a.ts": "hit\n" });
  const elsewhere = makeTree({});
  const found = (glob: string) => grep(elsewhere, { pattern: "hit", path: root, glob });
  expect(await found("src/*.ts")).toBe(`${root}/src/a.ts`);
  expect((await found("!src/**")).split("\n").sort())
    .toEqual([`${root}/[x]/a.ts`, `${root}/lib/src/a.ts`]);
});

Deno.test("grep > a search without matches says so", async () => {
  const root = makeTree({ "a.txt": "hit\n" });
  expect(await grep(root, { pattern: "miss" })).toBe(
    `No matches for "miss" in "${root}"`,
  );
  expect(await grep(root, { pattern: "hit", glob: "*.ts" }))
    .toBe(`No matches for "hit" in "${root}" among files of glob "*.ts"`);
});

Deno.test("grep > no argument is taken for an option of ripgrep", async () => {
  const root = makeTree({
    "-rf": "--pre=./x and -e\n",
    "--pre=x": "-e\n",
    "x": `#!/bin/sh\ntouch ${Deno.makeTempDirSync()}/ran\n`,
  });
  Deno.chmodSync(join(root, "x"), 0o755);
  const found = (input: Record<string, unknown>) => grep(root, input);
  expect(await found({ pattern: "--pre=./x" })).toBe("-rf");
  expect((await found({ pattern: "-e" })).split("\n").sort()).toEqual(["--pre=x", "-rf"]);
  expect(await found({ pattern: "e", path: "-rf", output_mode: "count" })).toBe("-rf:1");
  expect(await found({ pattern: "e", glob: "--pre=x" })).toBe("--pre=x");
  expect(await found({ pattern: "e", glob: "-rf" })).toBe("-rf");
  await expect(found({ pattern: "e", type: "--pre=x" })).rejects.toThrow("Unknown file type");
});

Deno.test("grep > the newest files come first, and files of the same age are sorted by name", async () => {
  const root = makeTree({ "b.txt": "hit\n", "a.txt": "hit\n", "c.txt": "hit\n", "d.txt": "no" });
  for (const [name, time] of [["a", 1000], ["b", 1000], ["c", 2000]] as const) {
    Deno.utimeSync(join(root, `${name}.txt`), time, time);
  }
  const found = (input: Record<string, unknown>) => grep(root, { pattern: "hit", ...input });
  expect(await found({})).toBe("c.txt\na.txt\nb.txt");
  expect(await found({ head_limit: 1 })).toBe(
    "c.txt\n\n[Showing files 1 to 1 of 3; for more set offset to 1]",
  );
  expect(await found({ head_limit: 1, offset: 1 })).toBe(
    "a.txt\n\n[Showing files 2 to 2 of 3; for more set offset to 2]",
  );
  expect(await found({ output_mode: "count" })).toBe("a.txt:1\nb.txt:1\nc.txt:1");
});

Deno.test("grep > hidden files are searched, but no version control directory", async (t) => {
  const hidden = [".env", ".github/ci.yml", ".vscode/s.json", "src/.eslintrc"];
  const left = [".git", ".svn", ".hg", ".bzr", ".jj", ".sl"].map((name) => `src/${name}/config`);
  const root = makeTree(Object.fromEntries([...hidden, ...left].map((path) => [path, "hit\n"])));
  const found = async (input: Record<string, unknown>) => {
    const text = await grep(root, { pattern: "hit", head_limit: 0, ...input });
    return text.split("\n").sort();
  };
  const rows: [Record<string, unknown>, string[]][] = [
    [{}, hidden],
    [{ glob: "**" }, hidden],
    [{ glob: ".env,*.yml" }, hidden.slice(0, 2)],
    [{ glob: "!.env" }, hidden.slice(1)],
    [{ path: "src/.git" }, ["src/.git/config"]],
    [{ path: "src/.svn/config" }, ["src/.svn/config"]],
    [{ glob: ".git/**" }, [
      `No matches for "hit" in "${root}" among files of glob ".git/**"; ` +
      '".git" is searched only when path names it',
    ]],
  ];
  for (const [input, paths] of rows) {
    await t.step(JSON.stringify(input), async () => expect(await found(input)).toEqual(paths));
  }
});

Deno.test("grep > every field of the published tool has the same effect", async (t) => {
  const root = makeTree({
    "a.py": "class A:\n  helper\nrest\n1\n2\n",
    "b.ts": "helper helper\n",
    "c.tsx": "helper\n",
    "d e.md": "helper\n",
    "{f}": "helper\n",
  });
  const content = { output_mode: "content", path: "a.py" };
  const rows: [Record<string, unknown>, string][] = [
    [
      { pattern: "class.*helper", multiline: true, ...content },
      "a.py:1:class A:\na.py:2:  helper",
    ],
    [{ pattern: "class.*helper", ...content }, `No matches for "class.*helper" in "a.py"`],
    [
      { pattern: "helper", context: 1, ...content },
      "a.py-1-class A:\na.py:2:  helper\na.py-3-rest",
    ],
    [
      { pattern: "helper", context: 0, "-C": 1, "-A": 3, "-B": 1, ...content },
      "a.py:2:  helper",
    ],
    [
      { pattern: "rest", "-C": 1, "-A": 0, "-B": 0, ...content },
      "a.py-2-  helper\na.py:3:rest\na.py-4-1",
    ],
    [{ pattern: "rest", "-A": 2, ...content }, "a.py:3:rest\na.py-4-1\na.py-5-2"],
    [
      { pattern: "h\\w*r", "-o": true, output_mode: "content", path: "b.ts" },
      "b.ts:1:helper\nb.ts:1:helper",
    ],
    [{ pattern: "x*", "-o": true, ...content }, ""],
    [{ pattern: "helper", "-o": true, path: "b.ts" }, "b.ts"],
    [{ pattern: "helper", glob: "*.ts,*.tsx", output_mode: "count" }, "b.ts:1\nc.tsx:1"],
    [
      { pattern: "helper", glob: "*.{ts,tsx} *.py", output_mode: "count" },
      "a.py:1\nb.ts:1\nc.tsx:1",
    ],
    [{ pattern: "helper", glob: "*.{ts,tsx},!c*", output_mode: "count" }, "b.ts:1"],
    [{ pattern: "helper", glob: "d\\ e.md,[{]f[}]", output_mode: "count" }, "d e.md:1\n{f}:1"],
  ];
  for (const [input, expected] of rows) {
    await t.step(JSON.stringify(input), async () => {
      const text = await grep(root, input);
      expect(text).toBe(expected === "" ? `No matches for "x*" in "a.py"` : expected);
    });
  }
});

Deno.test("grep > an invalid argument is an error with the reason", async (t) => {
  const root = makeTree({ "a.txt": "hit\n" });
  const errors: [Record<string, unknown>, string][] = [
    [{ pattern: "foo(" }, 'Invalid pattern "foo(": unclosed group'],
    [{ pattern: "\\" }, 'Invalid pattern "\\": incomplete escape sequence'],
    [{ pattern: "a\\\\\\" }, 'Invalid pattern "a\\\\\\": incomplete escape sequence'],
    [{ pattern: "(?=x)" }, "look-around, including look-ahead and look-behind, is not supported"],
    [{ pattern: "a\\nb" }, "set multiline to match across lines"],
    [{ pattern: "\\w{3000}" }, "compiled regex exceeds size limit of 10485760"],
    [{ pattern: "x", glob: "{a" }, 'Invalid glob "{a": unclosed alternate group'],
    [{ pattern: "x", path: "gone" }, 'Cannot search "gone": no such file or directory'],
    [{ pattern: "x", type: "pyton" }, 'Unknown file type "pyton"; similar: "py", "python"'],
    [{ pattern: "x", type: "tsx" }, 'Unknown file type "tsx"; similar: "ts"'],
  ];
  for (const [input, message] of errors) {
    await t.step(message, async () => {
      await expect(grep(root, input)).rejects.toThrow(message);
    });
  }
});

Deno.test("grep > J7 a pattern that is exponential elsewhere ends quickly", async () => {
  const root = makeTree({ "a.txt": `${"a".repeat(100_000)}b\n` });
  const units = await unitsOf(async () => {
    const input = { pattern: "(a|a)*$", output_mode: "count" };
    expect(await grep(root, input)).toBe("a.txt:1");
    expect(await grep(root, { pattern: "(a*)*c" })).toContain("No matches");
  });
  expect(units).toBeLessThan(20);
});

Deno.test("grep > a search of 200 MB across lines takes bounded memory", async () => {
  const root = makeTree({ "small.txt": "end\nstart\n" });
  using file = Deno.openSync(join(root, "big.txt"), { write: true, create: true });
  const block = new TextEncoder().encode(numbered(100_000, "some line of text"));
  for (let size = 0; size < 200_000_000; size += block.length) file.writeSync(block);
  const before = Deno.memoryUsage().rss;
  const text = await grep(root, { pattern: "end\\nstart", multiline: true });
  expect(text).toContain("small.txt");
  expect(await grep(root, { pattern: "no such (text|line) 1$" })).toContain(
    "No matches",
  );
  expect(Deno.memoryUsage().rss - before).toBeLessThan(300_000_000);
  Deno.removeSync(root, { recursive: true });
});

Deno.test("grep > the search stops when the call is aborted, and the error has the results so far", async () => {
  // The output is far larger than a pipe, so ripgrep still runs when its first part is read.
  const root = makeTree({ "a.txt": "hit\n".repeat(100_000) });
  const abort = new AbortController();
  const context = contextFor(root, { signal: abort.signal });
  const startHelper: Context["startHelper"] = (args) => {
    const ripgrep = context.startHelper(args);
    async function* pieces() {
      for await (const piece of ripgrep.pieces) {
        yield piece;
        if (piece.bytes.length === 0 || abort.signal.aborted) continue;
        Deno.kill(ripgrep.pid, "SIGSTOP");
        abort.abort(new DOMException("Too long", "TimeoutError"));
      }
    }
    return { ...ripgrep, pieces: pieces() };
  };
  const options = { signal: abort.signal, startHelper };
  const message = await grep(root, { pattern: "hit", output_mode: "content" }, options)
    .then(() => "all lines were searched", (error) => error.message);
  expect(message)
    .toMatch(/the time limit passed; narrow it.*Results so far:\n\na.txt:1:hit/s);
  Deno.removeSync(root, { recursive: true });
});

Deno.test("grep > paths that the flags do not grant are omitted with a note", async () => {
  const root = makeTree({ "a.txt": "hit\n", "secret/b.txt": "hit\n", "c.key": "hit\n" });
  const closedPaths = [`${root}/secret`, `${root}/c.key`];
  expect(await grep(root, { pattern: "hit" }, { closedPaths })).toBe(
    'a.txt\n\n[Not searched: "c.key" (not granted by the flags), "secret" (not granted by the flags)]',
  );
});

Deno.test("grep > a pattern can match bytes that are not UTF-8", async () => {
  const root = makeTree({});
  Deno.writeFileSync(join(root, "a.txt"), new Uint8Array([0x61, 0xff, 0x0a]));
  expect(await grep(root, { pattern: "(?-u:\\xff)" })).toBe("a.txt");
});

Deno.test("grep > a pipe is refused, and does not block the search", async () => {
  const root = makeTree({ "a.txt": "hit\n" });
  const made = new Deno.Command("mkfifo", { args: [join(root, "pipe")] }).outputSync();
  expect(made.success).toBe(true);
  await expect(grep(root, { pattern: "hit", path: "pipe" })).rejects.toThrow(
    "neither a file nor a directory",
  );
  expect(await grep(root, { pattern: "hit" })).toBe("a.txt");
});

Deno.test("grep > the end of a line is before CR LF too, unless the pattern names CR", async () => {
  const root = makeTree({
    "crlf.txt": "needle x\r\nend\r\n",
    "lf.txt": "needle x\nend\n",
    "right.txt": "\\right\r\n",
  });
  const both = ["crlf.txt", "lf.txt"];
  const rows: [pattern: string, multiline: boolean, found: string[]][] = [
    ["x$", false, both],
    ["^end$", false, both],
    ["x$", true, both],
    ["x\\nend", true, both],
    ["x\nend", true, both],
    ["(x\\n)+end", true, both],
    ["x[\\n]end", true, ["lf.txt"]],
    ["x\\r\\nend", true, ["crlf.txt"]],
    ["x\\\\nend", true, []],
    ["x\\r", false, ["crlf.txt"]],
    ["x\\x0D$", false, ["crlf.txt"]],
    ["\\\\right$", false, ["right.txt"]],
  ];
  for (const [pattern, multiline, found] of rows) {
    const text = await grep(root, { pattern, multiline });
    const files = text.startsWith("No matches") ? [] : text.split("\n").sort();
    expect({ pattern, multiline, files }).toEqual({ pattern, multiline, files: found });
  }
});
