import { checkedNeeds } from "../../support/checked_needs.ts";
import { expect } from "@std/expect";
import fsList from "../../../tools/fs_list.ts";
import fsRead from "../../../tools/fs_read.ts";
import fsWrite from "../../../tools/fs_write.ts";
import { scratchDirectory } from "../../support/scratch_directory.ts";
import { blocksOf, contextFor } from "../../support/tool_context.ts";

const calls = {
  read: (root: string, path: string) => {
    checkedNeeds(fsRead, { path }, root, {});
    return fsRead.run({ path }, contextFor(root));
  },
  write: (root: string, path: string) => {
    checkedNeeds(fsWrite, { path, content: "new\n" }, root, {});
    return fsWrite.run({ path, content: "new\n" }, contextFor(root));
  },
  list: (root: string, path: string) => {
    checkedNeeds(fsList, { path }, root, {});
    return fsList.run({ path }, contextFor(root));
  },
};

Deno.test("fs.read > the text is returned unchanged", async (t) => {
  using directory = scratchDirectory();
  for (const text of ["", "a\nb", "\ufeffa\r\nb\r\n", "𝒳\n"]) {
    await t.step(JSON.stringify(text), async () => {
      Deno.writeTextFileSync(`${directory.path}/a b`, text);
      expect(await calls.read(directory.path, "a b")).toEqual([{ type: "text", text }]);
    });
  }
  await t.step("bytes that are not UTF-8", async () => {
    Deno.writeFileSync(`${directory.path}/latin1`, Uint8Array.from([97, 97, 97, 97, 0xe9]));
    expect(await calls.read(directory.path, "latin1")).toEqual([
      { type: "text", text: "aaaa\ufffd" },
      { type: "text", text: "[Not all of it is valid UTF-8: wrong bytes are shown as \ufffd]" },
    ]);
  });
});

Deno.test("fs.read > a long text is cut at 256 KiB, and the result says how to continue", async (t) => {
  using directory = scratchDirectory();
  const path = `${directory.path}/file`;
  const rows: [name: string, text: string, shown: string, offset: number | undefined][] = [
    ["exactly 256 KiB", "x".repeat(256 * 1024), "x".repeat(256 * 1024), undefined],
    ["whole lines", "0123456789\n".repeat(30_000), "0123456789\n".repeat(23_831), 23_832],
    ["one long line", "é".repeat(200_000), "é".repeat(128 * 1024), 1],
    ["a long character at the cut", "x" + "𝒳".repeat(70_000), "x" + "𝒳".repeat(65_535), 1],
  ];
  for (const [name, text, shown, offset] of rows) {
    await t.step(name, async () => {
      Deno.writeTextFileSync(path, text);
      const blocks = blocksOf(await calls.read(directory.path, "file"));
      expect(blocks[0]).toEqual({ type: "text", text: shown });
      expect(blocks.length).toBe(offset ? 2 : 1);
      if (offset) {
        expect(JSON.stringify(blocks[1])).toContain(
          `To continue: Read with file_path \\"${path}\\" and offset ${offset}]`,
        );
      }
    });
  }
});

Deno.test("fs.read > binary files are refused, and the error for a missing file names similar files", async () => {
  using directory = scratchDirectory();
  Deno.writeFileSync(`${directory.path}/data`, Uint8Array.from([0x1f, 0x8b, 8, 0]));
  await expect(calls.read(directory.path, "data")).rejects.toThrow(
    'Cannot read "data": it is a gzip archive, not text',
  );
  await expect(calls.read(directory.path, "dato")).rejects.toThrow(
    'Cannot read "dato": no such file; similar: "data"',
  );
  await expect(calls.read(directory.path, ".")).rejects.toThrow(
    'Cannot read ".": it is a directory',
  );
});

Deno.test("fs.write > files below the root are created and overwritten", async () => {
  using directory = scratchDirectory();
  expect(await calls.write(directory.path, "a/b/file")).toBe('Created "a/b/file" (1 line)');
  expect(await calls.write(directory.path, "a/./b/../b/file")).toBe(
    'Overwrote "a/./b/../b/file" (1 line)',
  );
  expect(Deno.readTextFileSync(`${directory.path}/a/b/file`)).toBe("new\n");
});

Deno.test("fs.list > the names are sorted, with hidden names, and with marks for directories and links", async () => {
  using directory = scratchDirectory();
  const at = (name: string) => `${directory.path}/${name}`;
  for (const name of ["b", "B", ".hidden", "a b", "new\nline"]) {
    Deno.writeTextFileSync(at(name), "");
  }
  Deno.mkdirSync(at("folder"));
  Deno.symlinkSync("folder", at("link"));
  expect(await calls.list(directory.path, ".")).toBe(
    '.hidden\nB\na b\nb\nfolder/\nlink@\n"new\\nline"',
  );
  expect(await calls.list(directory.path, "folder")).toBe("[The directory is empty]");
  expect(await calls.list(directory.path, "link")).toBe("[The directory is empty]");
  await expect(calls.list(directory.path, "b")).rejects.toThrow(
    'Cannot list "b": it is not a directory',
  );
  await expect(calls.list(directory.path, "foldr")).rejects.toThrow(
    'no such directory; similar: "folder"',
  );
  const context = contextFor(directory.path, { mayRead: (path) => path !== at("b") });
  expect(await fsList.run({ path: "." }, context)).toMatch(
    /^\.hidden\nB\na b\nfolder.*\n\[1 name not shown: may not be read\]$/s,
  );
});

Deno.test("fs.list > 1,000 names are listed, and the rest is counted", async () => {
  using directory = scratchDirectory();
  for (let i = 0; i < 1234; i++) Deno.writeTextFileSync(`${directory.path}/${i + 1000}`, "");
  const lines = String(await calls.list(directory.path, ".")).split("\n");
  expect(lines.slice(0, 1000)).toEqual(Array.from({ length: 1000 }, (_, i) => String(i + 1000)));
  expect(lines.slice(1000)).toEqual([
    "[234 more of 1,234 names; Glob finds those that match a pattern]",
  ]);
});

Deno.test("fs > no path leaves the root", async (t) => {
  using directory = scratchDirectory();
  const root = `${directory.path}/root`;
  Deno.mkdirSync(`${root}/sub`, { recursive: true });
  Deno.writeTextFileSync(`${directory.path}/secret`, "secret");
  Deno.mkdirSync(`${directory.path}/root_evil`);
  Deno.writeTextFileSync(`${directory.path}/root_evil/secret`, "secret");
  Deno.symlinkSync("../secret", `${root}/link`);
  Deno.symlinkSync("..", `${root}/out`);
  Deno.symlinkSync("../made", `${root}/dangling`);
  const rows: [path: string, why: string][] = [
    ["../secret", "it leaves the root"],
    ["..", "it leaves the root"],
    ["sub/../../secret", "it leaves the root"],
    ["../root_evil/secret", "it leaves the root"],
    ["sub/../../root/sub", "it leaves the root"],
    ["/etc/passwd", "it is absolute"],
    ["link", "a symbolic link takes it out of the root"],
    ["out/secret", "a symbolic link takes it out of the root"],
    ["out/new/file", "a symbolic link takes it out of the root"],
    ["a\0b", "it contains a NUL character"],
  ];
  for (const [path, why] of rows) {
    for (const [name, call] of Object.entries(calls)) {
      await t.step(`${name} ${path}`, async () => {
        await expect((async () => await call(root, path))()).rejects.toThrow(why);
      });
    }
  }
  const literal = [
    "~",
    "$HOME",
    "file:///etc/passwd",
    "..%2fsecret",
    "%2e%2e/secret",
    "...",
    "C:\\x",
  ];
  for (const path of literal) {
    await t.step(`${path} is the name of a file`, async () => {
      await calls.write(root, path);
      expect(Deno.readTextFileSync(`${root}/${path}`)).toBe("new\n");
    });
  }
  expect(Deno.readTextFileSync(`${directory.path}/secret`)).toBe("secret");
  expect([...Deno.readDirSync(directory.path)].length).toBe(3);
});
