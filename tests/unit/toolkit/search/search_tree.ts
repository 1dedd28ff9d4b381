import { dirname, join } from "node:path";

const BIG = 70_000;

/** Files that are hard to search, by path; a path with a final `/` is a directory. */
function hardFiles(): [string, string | Uint8Array][] {
  const filler = `${"x".repeat(60)}\n`.repeat(Math.ceil(BIG / 61));
  return [
    [".git/info/exclude", "excluded.txt\nTODO in version control\n"],
    [".git/hooks/TODO", "TODO\n"],
    ["vcs/.svn/TODO", "TODO\n"],
    ["vcs/.hg/TODO", "TODO\n"],
    ["vcs/.bzr/TODO", "TODO\n"],
    ["vcs/.sl/TODO", "TODO\n"],
    ["vcs/jj/.jj/TODO", "TODO\n"],
    ["vcs/.github/TODO.yml", "TODO\nfoo\n"],
    ["vcs/worktree/.git", "gitdir: ../TODO\n"],
    [
      ".gitignore",
      "*.log\nbuild/\n!keep.log\n/only_top\nsub/*.gen\n**/deep/**/x.tmp\n\\#odd\nq?z\n",
    ],
    [".ignore", "by_ignore\n!build/again.js\n"],
    [".rgignore", "by_rgignore\n"],
    ["-rf", "TODO in -rf\n"],
    ["--pre=x", "TODO in --pre=x\n"],
    ["a space", "TODO with a space\n"],
    ["new\nline", "TODO in a name with a newline\nsecond TODO\n"],
    ["#odd", "TODO odd\n"],
    ["qéz", "TODO two bytes\n"],
    ["q1z", "TODO one byte\n"],
    ["excluded.txt", "TODO excluded\n"],
    ["by_ignore", "TODO\n"],
    ["by_rgignore", "TODO\n"],
    ["only_top", "TODO\n"],
    ["debug.log", "TODO log\n"],
    ["keep.log", "TODO keep\n"],
    ["build/out.js", "TODO built\n"],
    ["build/again.js", "TODO again\n"],
    [".hidden/file.ts", "TODO hidden\n"],
    [".env", "TODO env\n"],
    ["empty.txt", ""],
    ["newline.txt", "\n"],
    ["blank.txt", "\n\n  \n\nTODO\n\n"],
    ["crlf.ts", "one\r\nTODO two\r\nthree foo\r\n\r\nfive TODO\r\n"],
    ["no_end.ts", "first\nsecond TODO\nlast foo"],
    [
      "unicode.md",
      "Straße ΣΑΣ σας\nčeština TODO ✓\nK kelvin K\n\u{1F600} smile\ncafé cafe\u0301\n",
    ],
    ["latin1.txt", bytes("caf\xe9 au lait\nTODO \xff\xfe here\n\xe9\n")],
    ["utf8_bom.ts", "\uFEFFTODO after a mark\nfoo\n"],
    ["utf16le.txt", utf16("TODO wide\nfoo é\nlast", true)],
    ["utf16be.txt", utf16("one\nTODO wide\n", false)],
    ["binary.bin", bytes("TODO\nfoo\x00bar\nTODO\n")],
    ["late_nul.txt", `TODO early\n${filler}foo\nTODO late\x00\nTODO after\n`],
    ["very_late_nul.txt", `foo\n${filler}${filler}TODO middle\n${filler}\x00\nTODO\n`],
    ["big.txt", `${filler}TODO one\n${filler}foo\nTODO two\n${filler}foo bar\n`],
    ["edge.txt", `${"y".repeat(65_530)}\nTODO at the edge of a block\nfoo\n`],
    ["first.txt", `a\n${filler}TODO\n`],
    [
      "minified.js",
      `foo();${"z".repeat(3_000)}TODO${"é".repeat(400)}\nTODO short\n${"w".repeat(200_000)}foo\n`,
    ],
    [
      "many.c",
      Array.from({ length: 60 }, (_, i) => i % 7 === 0 ? `int foo${i}; // TODO` : `line ${i}`).join(
        "\n",
      ),
    ],
    [
      "code.rs",
      "fn main() {\n    foo(bar,\n        baz);\n    // TODO\n}\n\nfn foo(\n    a: i32,\n) {}\n",
    ],
    ["repeat.txt", "aaa\naa\na\n\naaaa b aaaa\n"],
    ["sub/file.gen", "TODO\n"],
    ["sub/file.ts", "TODO sub\nfoo\n"],
    ["sub/.gitignore", "*.md\n!../x\nnested.txt\n"],
    ["sub/readme.md", "TODO ignored in sub\n"],
    ["sub/deep/er/x.tmp", "TODO\n"],
    ["sub/deep/nested.txt", "TODO\n"],
    ["sub/deep/only_top", "TODO\n"],
    ["sub.d/file", "TODO sorted after sub\n"],
    ["repository/.git/HEAD", "ref: refs/heads/main\n"],
    ["repository/.gitignore", "*.tmp\n"],
    ["repository/inner.log", "TODO the outer rule does not hold here\n"],
    ["repository/inner.tmp", "TODO\n"],
    ["repository/by_ignore", "TODO\n"],
    ["build2/", ""],
    ["\uFFEE", "TODO a name above the surrogates\n"],
    ["\u{1F600}", "TODO an astral name\n"],
    ["a{b}", "TODO braces\n"],
    ["a[b]", "TODO brackets\n"],
    ["Makefile", "TODO make\nfoo\n"],
  ];
}

/** Makes a tree of hard cases, a git repository with symlink loops, and returns its real path. */
export function makeSearchTree(): string {
  const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "search" }));
  for (const [path, content] of hardFiles()) {
    const target = join(root, path);
    Deno.mkdirSync(path.endsWith("/") ? target : dirname(target), { recursive: true });
    if (path.endsWith("/")) continue;
    if (typeof content === "string") Deno.writeTextFileSync(target, content);
    else Deno.writeFileSync(target, content);
  }
  // Some files have the same time, so their names decide the order.
  for (const [at, path] of ["sub/file.ts", ".env", "no_end.ts", "empty.txt"].entries()) {
    Deno.utimeSync(join(root, path), 4_000_000_000 + (at >> 1), 4_000_000_000 + (at >> 1));
  }
  Deno.symlinkSync(root, join(root, "loop"));
  Deno.symlinkSync("..", join(root, "sub/up"));
  Deno.symlinkSync(join(root, "crlf.ts"), join(root, "link.ts"));
  Deno.symlinkSync("nowhere", join(root, "dangling"));
  return root;
}

function bytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function utf16(text: string, little: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(2 + text.length * 2));
  view.setUint16(0, 0xFEFF, little);
  for (let i = 0; i < text.length; i++) view.setUint16(2 + i * 2, text.charCodeAt(i), little);
  return new Uint8Array(view.buffer);
}
