import { expect } from "@std/expect";
import fsList from "../../../tools/fs_list.ts";
import fsRead from "../../../tools/fs_read.ts";
import fsWrite from "../../../tools/fs_write.ts";
import { scratchFolder } from "../../support/scratch_folder.ts";
import { blocksOf, contextFor } from "../../support/tool_context.ts";

const calls = {
  read: (root: string, path: string) => {
    fsRead.permissions.needs({ path }, root, {});
    return fsRead.run({ path }, contextFor(root));
  },
  write: (root: string, path: string) => {
    fsWrite.permissions.needs({ path, content: "new\n" }, root, {});
    return fsWrite.run({ path, content: "new\n" }, contextFor(root));
  },
  list: (root: string, path: string) => {
    fsList.permissions.needs({ path }, root, {});
    return fsList.run({ path }, contextFor(root));
  },
};

Deno.test("fs.read > gives the text unchanged", async (t) => {
  using folder = scratchFolder();
  for (const text of ["", "a\nb", "\ufeffa\r\nb\r\n", "𝒳\n"]) {
    await t.step(JSON.stringify(text), async () => {
      Deno.writeTextFileSync(`${folder.path}/a b`, text);
      expect(await calls.read(folder.path, "a b")).toEqual([{ type: "text", text }]);
    });
  }
  await t.step("bytes that are not UTF-8", async () => {
    Deno.writeFileSync(`${folder.path}/latin1`, Uint8Array.from([97, 97, 97, 97, 0xe9]));
    expect(await calls.read(folder.path, "latin1")).toEqual([
      { type: "text", text: "aaaa\ufffd" },
      { type: "text", text: "[Not all of it is valid UTF-8: wrong bytes are shown as \ufffd]" },
    ]);
  });
});

Deno.test("fs.read > gives 256 KiB and says how to go on", async (t) => {
  using folder = scratchFolder();
  const path = `${folder.path}/file`;
  const rows: [name: string, text: string, shown: string, offset: number | undefined][] = [
    ["exactly", "x".repeat(256 * 1024), "x".repeat(256 * 1024), undefined],
    ["whole lines", "0123456789\n".repeat(30_000), "0123456789\n".repeat(23_831), 23_832],
    ["one long line", "é".repeat(200_000), "é".repeat(128 * 1024), 1],
    ["a long character at the cut", "x" + "𝒳".repeat(70_000), "x" + "𝒳".repeat(65_535), 1],
  ];
  for (const [name, text, shown, offset] of rows) {
    await t.step(name, async () => {
      Deno.writeTextFileSync(path, text);
      const blocks = blocksOf(await calls.read(folder.path, "file"));
      expect(blocks[0]).toEqual({ type: "text", text: shown });
      expect(blocks.length).toBe(offset ? 2 : 1);
      if (offset) {
        expect(JSON.stringify(blocks[1])).toContain(
          `To go on: Read with file_path \\"${path}\\" and offset ${offset}]`,
        );
      }
    });
  }
});

Deno.test("fs.read > refuses binary files and names near ones of a missing file", async () => {
  using folder = scratchFolder();
  Deno.writeFileSync(`${folder.path}/data`, Uint8Array.from([0x1f, 0x8b, 8, 0]));
  await expect(calls.read(folder.path, "data")).rejects.toThrow(
    'Cannot read "data": it is a gzip archive, not text',
  );
  await expect(calls.read(folder.path, "dato")).rejects.toThrow(
    'Cannot read "dato": no such file; near it: "data"',
  );
  await expect(calls.read(folder.path, ".")).rejects.toThrow('Cannot read ".": it is a folder');
});

Deno.test("fs.write > creates and overwrites below the root", async () => {
  using folder = scratchFolder();
  expect(await calls.write(folder.path, "a/b/file")).toBe('Created "a/b/file" (1 line)');
  expect(await calls.write(folder.path, "a/./b/../b/file")).toBe(
    'Overwrote "a/./b/../b/file" (1 line)',
  );
  expect(Deno.readTextFileSync(`${folder.path}/a/b/file`)).toBe("new\n");
});

Deno.test("fs.list > marks folders and links, sorts, and lists hidden names", async () => {
  using folder = scratchFolder();
  const at = (name: string) => `${folder.path}/${name}`;
  for (const name of ["b", "B", ".hidden", "a b", "new\nline"]) {
    Deno.writeTextFileSync(at(name), "");
  }
  Deno.mkdirSync(at("folder"));
  Deno.symlinkSync("folder", at("link"));
  expect(await calls.list(folder.path, ".")).toBe(
    '.hidden\nB\na b\nb\nfolder/\nlink@\n"new\\nline"',
  );
  expect(await calls.list(folder.path, "folder")).toBe("[The folder is empty]");
  expect(await calls.list(folder.path, "link")).toBe("[The folder is empty]");
  await expect(calls.list(folder.path, "b")).rejects.toThrow('Cannot list "b": it is not a folder');
  await expect(calls.list(folder.path, "foldr")).rejects.toThrow(
    'no such folder; near it: "folder"',
  );
  const context = contextFor(folder.path, { mayRead: (path) => path !== at("b") });
  expect(await fsList.run({ path: "." }, context)).toMatch(
    /^\.hidden\nB\na b\nfolder.*\n\[1 name not shown: may not be read\]$/s,
  );
});

Deno.test("fs.list > gives 1,000 names and counts the rest", async () => {
  using folder = scratchFolder();
  for (let i = 0; i < 1234; i++) Deno.writeTextFileSync(`${folder.path}/${i + 1000}`, "");
  const lines = String(await calls.list(folder.path, ".")).split("\n");
  expect(lines.slice(0, 1000)).toEqual(Array.from({ length: 1000 }, (_, i) => String(i + 1000)));
  expect(lines.slice(1000)).toEqual([
    "[234 more of 1,234 names; Glob finds those that match a pattern]",
  ]);
});

Deno.test("fs > never leaves the root", async (t) => {
  using folder = scratchFolder();
  const root = `${folder.path}/root`;
  Deno.mkdirSync(`${root}/sub`, { recursive: true });
  Deno.writeTextFileSync(`${folder.path}/secret`, "secret");
  Deno.mkdirSync(`${folder.path}/root_evil`);
  Deno.writeTextFileSync(`${folder.path}/root_evil/secret`, "secret");
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
    ["a\0b", "it holds a NUL character"],
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
    await t.step(`${path} is a name`, async () => {
      await calls.write(root, path);
      expect(Deno.readTextFileSync(`${root}/${path}`)).toBe("new\n");
    });
  }
  expect(Deno.readTextFileSync(`${folder.path}/secret`)).toBe("secret");
  expect([...Deno.readDirSync(folder.path)].length).toBe(3);
});
