import { join } from "node:path";
import { expect } from "@std/expect";
import { isSmallTree } from "../../../../src/toolkit/search/small_tree.ts";
import { temporaryDirectory } from "../../../support/temporary_directory.ts";

/** Fills a directory with files of `bytes` bytes, `perDirectory` of them in each directory. */
function fill(root: string, count: number, { bytes = 1, perDirectory = count } = {}): void {
  for (let index = 0; index < count; index++) {
    const directory = join(root, String(Math.floor(index / perDirectory)));
    Deno.mkdirSync(directory, { recursive: true });
    Deno.writeFileSync(join(directory, `${index}.txt`), new Uint8Array(bytes));
  }
}

const CASES: [name: string, make: (root: string) => void, names: boolean, contents: boolean][] = [
  ["an empty directory", () => {}, true, true],
  ["twenty files in four directories", (root) => fill(root, 20, { perDirectory: 5 }), true, true],
  ["seventy files in one directory", (root) => fill(root, 70), false, false],
  [
    "seventy files in many directories",
    (root) => fill(root, 70, { perDirectory: 2 }),
    false,
    false,
  ],
  ["files with many bytes", (root) => fill(root, 2, { bytes: 600 * 1024 }), true, false],
  [
    "a symlink to a large directory",
    (root) => Deno.symlinkSync("/usr", join(root, "usr")),
    true,
    true,
  ],
];

Deno.test("isSmallTree > the entries count, and also the bytes if the files are read", async (t) => {
  for (const [name, make, names, contents] of CASES) {
    await t.step(name, () => {
      using directory = temporaryDirectory();
      make(directory.path);
      expect(isSmallTree(directory.path, { readsFiles: false })).toBe(names);
      expect(isSmallTree(directory.path, { readsFiles: true })).toBe(contents);
    });
  }
});

Deno.test("isSmallTree > a file and a missing directory are small", () => {
  using directory = temporaryDirectory();
  Deno.writeTextFileSync(join(directory.path, "file"), "x");
  for (const name of ["file", "missing"]) {
    expect(isSmallTree(join(directory.path, name), { readsFiles: true })).toBe(true);
  }
});
