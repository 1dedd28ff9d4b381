import { expect } from "@std/expect";
import { unitsOf } from "../../support/measure.ts";
import { join } from "node:path";
import Glob from "../../../tools/glob.ts";
import { scratchDirectory } from "../../support/scratch_directory.ts";
import { contextFor } from "../../support/tool_context.ts";

const FILES = [
  ".env",
  ".git/config",
  ".gitignore",
  ".github/workflows/ci.yml",
  "a.ts",
  "b.tsx",
  "build/out.js",
  "build/keep/x.log",
  "debug.log",
  "ä.ts",
  "src/c.ts",
  "src/.hidden.ts",
  "src/deep/er/d.ts",
  "src/deep/x.log",
  "src/[x]{y}.ts",
  "out/gen/e.ts",
];

function makeTree(): string {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  for (const path of FILES) {
    Deno.mkdirSync(join(root, path, ".."), { recursive: true });
    Deno.writeTextFileSync(join(root, path), "x");
    Deno.utimeSync(join(root, path), 1000, 1000);
  }
  Deno.writeTextFileSync(join(root, ".gitignore"), "*.log\nbuild/\nout/**\n");
  Deno.symlinkSync("..", join(root, "src/up"));
  Deno.symlinkSync(join(root, "a.ts"), join(root, "src/link.ts"));
  return root;
}

async function glob(root: string, input: { pattern: string; path?: string }): Promise<string> {
  return String(await Glob.run(input, contextFor(root)));
}

const TABLE: [pattern: string, names: string[]][] = [
  ["*.ts", ["a.ts", "ä.ts"]],
  ["*.{ts,tsx}", ["a.ts", "b.tsx", "ä.ts"]],
  ["?.ts", ["a.ts", "ä.ts"]],
  ["[!a].ts", ["ä.ts"]],
  ["[a-c].ts{,x}", ["a.ts", "b.tsx"]],
  ["./a.ts", ["a.ts"]],
  ["**/*.ts", [
    ...["a.ts", "src/.hidden.ts", "src/[x]{y}.ts", "src/c.ts", "src/deep/er/d.ts", "src/link.ts"],
    "ä.ts",
  ]],
  ["src/**", [
    ...["src/.hidden.ts", "src/[x]{y}.ts", "src/c.ts", "src/deep/er/d.ts", "src/link.ts"],
  ]],
  ["**/*.yml", [".github/workflows/ci.yml"]],
  ["*", [".env", ".gitignore", "a.ts", "b.tsx", "ä.ts"]],
  ["**/config", []],
  ["{src,.git}/**/config", [".git/config"]],
  ["src/**/d.ts", ["src/deep/er/d.ts"]],
  ["src/\\[x\\]\\{y\\}.ts", ["src/[x]{y}.ts"]],
  ["**/.*", [".env", ".gitignore", "src/.hidden.ts"]],
  [".github/**", [".github/workflows/ci.yml"]],
  [".git/*", [".git/config"]],
  ["build/**", ["build/keep/x.log", "build/out.js"]],
  ["build/out.js", ["build/out.js"]],
  ["out/**/*.ts", ["out/gen/e.ts"]],
  ["debug.log", ["debug.log"]],
  ["{src,build}/*.{ts,js}", ["src/.hidden.ts", "src/[x]{y}.ts", "src/c.ts", "src/link.ts"]],
  ["{a,{b,{c,d}}}.ts*", ["a.ts", "b.tsx"]],
];

Deno.test("glob > the files that match a pattern are listed", async (t) => {
  const root = makeTree();
  for (const [pattern, names] of TABLE) {
    await t.step(pattern, async () => {
      const text = await glob(root, { pattern });
      const lines = text.startsWith("No files match") ? [] : text.split("\n");
      expect(lines.toSorted()).toEqual(names.map((name) => join(root, name)).toSorted());
    });
  }
});

Deno.test("glob > the newest file comes first, and files of the same age are sorted by name", async () => {
  const root = makeTree();
  Deno.utimeSync(join(root, "src/c.ts"), 2000, 2000);
  const lines = (await glob(root, { pattern: "**/[a-d].ts" })).split("\n");
  expect(lines).toEqual(["src/c.ts", "a.ts", "src/deep/er/d.ts"].map((name) => join(root, name)));
});

Deno.test("glob > a hundred files are listed, and the rest is counted", async () => {
  const root = Deno.makeTempDirSync();
  for (let i = 0; i < 1234; i++) Deno.writeTextFileSync(join(root, `${i}.txt`), "");
  const lines = (await glob(root, { pattern: "*.txt" })).split("\n");
  expect(lines.length).toBe(102);
  expect(lines.at(-1)).toBe(
    "[The 100 newest of 1234 files; 1134 more: narrow the pattern or the path to see them]",
  );
});

Deno.test("glob > no pattern leaves the directory", async (t) => {
  const root = makeTree();
  const patterns = [
    "../**",
    "src/../../*",
    "{..,src}/*",
    "/etc/*",
    "/**",
    "\\../*",
    "**/../../x",
    "a/..",
  ];
  for (const pattern of patterns) {
    await t.step(pattern, async () => {
      await expect(glob(root, { pattern, path: "src" })).rejects.toThrow("it leaves the directory");
    });
  }
  for (
    const pattern of ["[.][.]/*", "?./*", "*/*/../x".replace("..", "[.]."), "up/*", "**/up/**"]
  ) {
    await t.step(pattern, async () => {
      expect(await glob(root, { pattern, path: "src" })).toContain("No files match");
    });
  }
  await t.step("an absolute pattern inside", async () => {
    expect(await glob(root, { pattern: `${root}/src/c.*`, path: root })).toBe(
      join(root, "src/c.ts"),
    );
  });
});

Deno.test("glob > an empty result suggests a better pattern", async () => {
  const root = makeTree();
  expect(await glob(root, { pattern: "d.ts" })).toBe(
    `No files match "d.ts" in "${root}". For every depth use "**/d.ts".`,
  );
  expect(await glob(root, { pattern: "src" })).toContain(
    '"src" is a directory; for the files in it use "src/**".',
  );
  expect(await glob(root, { pattern: "src/**/*.log" })).toContain(
    "1 matching file is ignored; begin the pattern",
  );
});

Deno.test("glob > an empty result says which ignored directories were not searched", async (t) => {
  const root = makeTree();
  for (const path of ["node_modules/m/i.js", "packages/p/node_modules/x.js", "dist/o.js"]) {
    Deno.mkdirSync(join(root, path, ".."), { recursive: true });
    Deno.writeTextFileSync(join(root, path), "x");
  }
  Deno.writeTextFileSync(join(root, ".gitignore"), "dist/\nnode_modules/\nbuild\n*.log\n");
  const rows: [pattern: string, hint: RegExp][] = [
    [
      "**/dist/**",
      /not searched: "dist", "build", "node_modules" and 1 more\. .*such as "dist\/\*\*"\.$/,
    ],
    [
      "**/o.js",
      /Ignored directories were not searched: "build", "dist", "node_modules" and 1 more\./,
    ],
    [
      "**/node_modules/m/*.js",
      /not searched: "node_modules", "packages\/p\/node_modules", "build"/,
    ],
    ["packages/**/x.js", /not searched: "packages\/p\/node_modules"\. To search one/],
    ["src/**/none", /^No files match "src\/\*\*\/none" in "[^"]*"$/],
    ["no*", /"\. For every depth use "\*\*\/no\*"\.$/],
  ];
  for (const [pattern, hint] of rows) {
    await t.step(pattern, async () => expect(await glob(root, { pattern })).toMatch(hint));
  }
  for (const pattern of ["dist/**", "node_modules/m/*.js", "packages/p/node_modules/*"]) {
    await t.step(pattern, async () => {
      expect(await glob(root, { pattern })).not.toContain("No files match");
    });
  }
});

Deno.test("glob > an empty result says which syntax is not supported", async (t) => {
  const root = makeTree();
  const rows: [pattern: string, hint: string][] = [
    ["@(a|b).ts", '"@(…)" is not supported and matches literally; for alternatives use {a,b}.'],
    ["src/+(c).ts", '"+(…)" is not supported'],
    ["!(a).ts", '"!(…)" is not supported'],
    ["**/*(a|b).tsx", '"*(…)" is not supported'],
    ["{1..3}.ts", '"{1..3}" is not supported and matches literally; use {1,2,3} or [1-3].'],
    ["\\@(a).ts", "For every depth use"],
    ["[@(]x", "For every depth use"],
  ];
  for (const [pattern, hint] of rows) {
    await t.step(pattern, async () => {
      const text = await glob(root, { pattern });
      expect(text).toContain(hint);
      expect(text.includes("not supported") && text.includes("every depth")).toBe(false);
    });
  }
  Deno.writeTextFileSync(join(root, "@(a).ts"), "");
  expect(await glob(root, { pattern: "@(a).ts" })).toBe(join(root, "@(a).ts"));
});

Deno.test("glob > a name that is not UTF-8 is listed with a note that it cannot be opened", {
  // Other systems have no such names.
  ignore: Deno.build.os !== "linux",
}, async () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  const made = new Deno.Command("bash", {
    args: ["-c", `cd "$1" && echo word > $'bad\\xff.txt' && mkdir $'dir\\xfe'`, "-", root],
  }).outputSync();
  expect(made.success).toBe(true);
  expect(await glob(root, { pattern: "*bad*" })).toBe(
    `${root}/bad\uFFFD.txt\n\n[1 file name cannot be opened: not UTF-8, shown with \uFFFD]`,
  );
  const grep = await (await import("../../../src/toolkit/search/grep.ts")).grep({
    ...{ pattern: "word", path: undefined, glob: undefined, type: undefined },
    ...{ mode: "content", before: 0, after: 0, lineNumbers: true, ignoreCase: false },
    ...{ multiline: false, onlyMatching: false, limit: 0, offset: 0 },
  }, contextFor(root));
  expect(grep.text).toBe("bad\uFFFD.txt:1:word");
});

Deno.test("glob > a path that is not a directory and an invalid glob are refused", async () => {
  const root = makeTree();
  await expect(glob(root, { pattern: "*", path: "gone" })).rejects.toThrow("no such directory");
  await expect(glob(root, { pattern: "*", path: "a.ts" })).rejects.toThrow("it is not a directory");
  await expect(glob(root, { pattern: "[a" })).rejects.toThrow("unclosed character class");
  await expect(glob(root, { pattern: "{a" })).rejects.toThrow("unclosed alternate group");
  await expect(glob(root, { pattern: "a".repeat(5000) })).rejects.toThrow("4096 is the limit");
});

Deno.test("glob > patterns that are exponential elsewhere end quickly", async () => {
  const root = Deno.makeTempDirSync();
  Deno.writeTextFileSync(join(root, "a".repeat(200)), "");
  const patterns = [
    "*a".repeat(1000) + "b",
    "**/".repeat(1000) + "b",
    "{a,b}".repeat(800),
    "{".repeat(190) + "}".repeat(190),
  ];
  for (const pattern of patterns) {
    const units = await unitsOf(async () =>
      expect(await glob(root, { pattern })).toContain("No files match")
    );
    expect(units).toBeLessThan(20);
  }
  await expect(glob(root, { pattern: "{a,".repeat(1000) + "}".repeat(1000) })).rejects.toThrow(
    "nested deeper",
  );
});

Deno.test("glob > paths that the flags do not grant are omitted with a note", async () => {
  const root = makeTree();
  const context = contextFor(root, { closedPaths: [`${root}/src/deep`] });
  const text = String(await Glob.run({ pattern: "src/**/*.ts" }, context));
  expect(text).not.toContain("d.ts\n");
  expect(text).toContain(`[Not searched: "${root}/src/deep" (not granted by the flags)]`);
});

Deno.test("glob > the search stops when the call is canceled", async () => {
  using directory = scratchDirectory();
  // ripgrep waits for a writer of this pipe, so the search cannot end before it is canceled.
  const made = new Deno.Command("mkfifo", { args: [join(directory.path, ".ignore")] }).outputSync();
  expect(made.success).toBe(true);
  const abort = new AbortController();
  const context = contextFor(directory.path, { signal: abort.signal });
  const startHelper: typeof context.startHelper = (args) => {
    const ripgrep = context.startHelper(args);
    abort.abort();
    return ripgrep;
  };
  const running = Promise.resolve(Glob.run({ pattern: "**/*.ts" }, { ...context, startHelper }));
  await expect(running).rejects.toThrow("the call was cancelled");
});
