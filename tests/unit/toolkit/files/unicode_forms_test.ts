/** Paths that exist under a name in another Unicode form. */
import { expect } from "@std/expect";
import { scratchDirectory } from "../../../support/scratch_directory.ts";
import { contextFor } from "../../../support/tool_context.ts";
import applyPatch from "../../../../tools/apply_patch.ts";
import codeEdit from "../../../../tools/code_edit.ts";
import edit from "../../../../tools/edit.ts";
import file from "../../../../tools/file.ts";
import fsWrite from "../../../../tools/fs_write.ts";
import glob from "../../../../tools/glob.ts";
import grep from "../../../../tools/grep.ts";
import read from "../../../../tools/read.ts";
import write from "../../../../tools/write.ts";

const GREP = {
  ...{ pattern: "x", output_mode: "count", "-n": true, "-i": false, "-o": false } as const,
  ...{ multiline: false, head_limit: 250, offset: 0 },
};

/** Calls with the path of a file, which is absolute and relative, and with that of a directory. */
const calls: Readonly<
  Record<string, (root: string, name: string, directory: string) => unknown>
> = {
  Read: (root, name) =>
    read.run({ file_path: `${root}/${name}`, offset: 1, limit: 9 }, contextFor(root)),
  "Read in a directory": (root, _, directory) =>
    read.run({ file_path: `${root}/${directory}/a`, offset: 1, limit: 9 }, contextFor(root)),
  file: (root, name) => file.run({ action: "read", path: name }, contextFor(root)),
  "file of a directory": (root, _, directory) =>
    file.run({ action: "list", path: directory }, contextFor(root)),
  Edit: (root, name) => {
    const args = { file_path: `${root}/${name}`, old_string: "x", new_string: "y" };
    return edit.run({ ...args, replace_all: false }, contextFor(root));
  },
  "Edit of a new file": (root, name) => {
    const args = { file_path: `${root}/${name}`, old_string: "", new_string: "y" };
    return edit.run({ ...args, replace_all: false }, contextFor(root));
  },
  code_edit: (root, name) =>
    codeEdit.run({ action: "delete", path: name, start_line: 1 }, contextFor(root)),
  Write: (root, name) =>
    write.run({ file_path: `${root}/${name}`, content: "y" }, contextFor(root)),
  "fs.write in a directory": (root, _, directory) =>
    fsWrite.run({ path: `${directory}/b`, content: "y" }, contextFor(root)),
  "apply_patch of a new file": (root, name) => {
    const patch = `*** Begin Patch\n*** Add File: ${name}\n+x\n*** End Patch\n`;
    return applyPatch.run({ patch }, contextFor(root));
  },
  Grep: (root, name) => grep.run({ ...GREP, path: name }, contextFor(root)),
  Glob: (root, _, directory) => glob.run({ pattern: "*", path: directory }, contextFor(root)),
};

for (
  const [form, there, asked, shown] of [
    ["with marks", "e\u0301", "\u00e9", "e\\u0301"],
    ["without marks", "\u00e9", "e\u0301", "\u00e9"],
    ["of Korean letters", "\u1112\u1161\u11ab", "\ud55c", "\u1112\\u1161\\u11ab"],
  ] as const
) {
  Deno.test(`Unicode forms > the error names the file of the form ${form}, and nothing is created`, async (t) => {
    using directory = scratchDirectory();
    const root = directory.path;
    Deno.writeTextFileSync(`${root}/caf${there}.txt`, "x\n");
    Deno.mkdirSync(`${root}/d${there}`);
    Deno.writeTextFileSync(`${root}/d${there}/a`, "x\n");
    for (const [name, call] of Object.entries(calls)) {
      await t.step(name, async () => {
        const run = async () => await call(root, `caf${asked}.txt`, `d${asked}`);
        const error = await run().then(() => new Error("it did not fail"), (error) => error);
        expect(error.message).toContain("exists in another Unicode form");
        expect(error.message).toMatch(/use "([^"]*\/)?(caf|d)[^"]*"/);
        expect(error.message.split("use ")[1]).toContain(shown);
        expect([...Deno.readDirSync(root)].length).toBe(2);
        expect([...Deno.readDirSync(`${root}/d${there}`)].length).toBe(1);
      });
    }
  });
}

Deno.test("Unicode forms > a name that may not be read is not named", async () => {
  using directory = scratchDirectory();
  const root = directory.path;
  Deno.writeTextFileSync(`${root}/e\u0301`, "x\n");
  const context = contextFor(root, { mayRead: (path) => path.normalize("NFC") === path });
  const reads = async () => await file.run({ action: "read", path: "\u00e9" }, context);
  await expect(reads()).rejects.toThrow(/^Cannot read "\u00e9": no such file$/);
});
