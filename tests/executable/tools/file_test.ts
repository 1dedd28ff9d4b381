import { expect } from "@std/expect";
import { call, temporaryDirectory } from "../../support/executable.ts";

Deno.test("file > each action works with its own permission, and reports errors", async () => {
  using directory = temporaryDirectory();
  using other = temporaryDirectory();
  const { path: cwd } = directory;
  const [read, write] = [`--allow-read=${cwd}`, `--allow-write=${cwd}`];
  const outside = `${other.path}/x`;
  Deno.symlinkSync(other.path, `${cwd}/link`);
  Deno.writeFileSync(`${cwd}/binary`, Uint8Array.from([0, 1, 2, 3]));
  const rows: [args: Record<string, unknown>, flag: string, exit: number, says: string][] = [
    [
      { action: "write", path: "a/b.txt", content: "one\n" },
      write,
      0,
      'Created "a/b.txt" (1 line)',
    ],
    [{ action: "write", path: `${cwd}/a/b.txt`, content: "" }, write, 0, "Overwrote"],
    [{ action: "write", path: "a/b.txt", content: "two\n" }, read, 6, "--allow-write="],
    [{ action: "write", path: "a/b.txt", content: "two\n" }, write, 0, "Overwrote"],
    [{ action: "read", path: "a/b.txt" }, read, 0, "two\n"],
    [{ action: "read", path: "a/b.txt" }, write, 6, "--allow-read="],
    [{ action: "list", path: "." }, read, 0, "a/\nbinary\nlink@"],
    [{ action: "list", path: "a" }, read, 0, "b.txt"],
    [{ action: "list", path: "a/b.txt" }, read, 1, "it is not a directory"],
    [{ action: "read", path: "a" }, read, 1, "it is a directory"],
    [{ action: "read", path: "a/c.txt" }, read, 1, 'similar: "a/b.txt"'],
    [{ action: "read", path: "binary" }, read, 1, "not text"],
    [{ action: "list", path: "b" }, read, 1, "no such directory"],
    [{ action: "write", path: "link/x", content: "x" }, write, 6, outside],
    [{ action: "write", path: outside, content: "x" }, write, 6, outside],
    [{ action: "read", path: "link" }, read, 6, other.path],
    [{ action: "write", path: "x" }, write, 5, "content is missing"],
    [{ action: "list", path: ".", content: "x" }, read, 5, "content is for the action write"],
    [{ action: "read", path: "a/" }, read, 5, "its trailing slash makes it a directory"],
    [{ action: "delete", path: "a" }, "-A", 5, "action"],
  ];
  for (const [args, flag, exit, says] of rows) {
    const result = await call("file", args, { flags: [flag], cwd });
    expect({ args, exit: result.exit, text: result.text, says: result.text.includes(says) })
      .toEqual({ args, exit, text: result.text, says: true });
  }
  expect([...Deno.readDirSync(other.path)]).toEqual([]);
});
