import { checkedNeeds } from "../../support/checked_needs.ts";
import { expect } from "@std/expect";
import write from "../../../tools/write.ts";
import { scratchDirectory } from "../../support/scratch_directory.ts";
import { contextFor } from "../../support/tool_context.ts";

async function call(file_path: string, content: string): Promise<string> {
  expect(checkedNeeds(write, { file_path, content }, "/", {})).toEqual([{
    name: "write",
    path: file_path,
    directoriesIn: "/",
  }]);
  const result = await write.run({ file_path, content }, contextFor("/"));
  return typeof result === "string" ? result : "";
}

async function failure(file_path: string, content = "x"): Promise<string> {
  return await call(file_path, content).then(
    () => "it did not fail",
    (error) => error.message,
  );
}

function names(directory: string): string[] {
  return [...Deno.readDirSync(directory)].map((entry) => entry.name).sort();
}

function modeOf(path: string): number {
  return (Deno.statSync(path).mode ?? 0) & 0o7777;
}

Deno.test("write > the result says whether the file was created or overwritten, with its number of lines", async (t) => {
  using directory = scratchDirectory();
  const path = `${directory.path}/file`;
  const rows: [content: string, said: string][] = [
    ["a\nb\n", "Created"],
    ["", "Overwrote"],
    ["a", "Overwrote"],
    ["a\r\nb\r\nc", "Overwrote"],
    ["\ufeff𝒳 $& \u0000\n", "Overwrote"],
  ];
  const lines = ["2 lines", "0 lines", "1 line", "3 lines", "1 line"];
  for (const [index, [content, said]] of rows.entries()) {
    await t.step(JSON.stringify(content), async () => {
      const [first] = (await call(path, content)).split("\n");
      expect(first).toBe(`${said} "${path}" (${lines[index]})`);
      expect(Deno.readFileSync(path)).toEqual(new TextEncoder().encode(content));
    });
  }
  expect(names(directory.path)).toEqual(["file"]);
});

Deno.test("write > the result reports changes of the encoding, the byte order mark and the line endings", async (t) => {
  using directory = scratchDirectory();
  const path = `${directory.path}/file`;
  const rows: [before: string, content: string, note: string][] = [
    ["\u00ef\u00bb\u00bfa\n", "a\n", "\n[The file had a byte order mark; it has none now]"],
    ["\u00ef\u00bb\u00bfa\n", "\ufeffa\n", ""],
    ["\u00ff\u00fea\0", "a\n", "\n[The file was UTF-16 text (little-endian); it is UTF-8 now]"],
    ["a\r\nb\r\n", "a\nb\n", "\n[The file had CRLF line endings; it has LF now]"],
    ["a\r\nb\r\n", "a\r\nb\r\n", ""],
    ["\u00e9\n", "a\n", "\n[The file was not UTF-8; it is now]"],
    ["\u00e9\0\r\n", "a\n", ""],
    ["", "a\n", ""],
  ];
  for (const [before, content, note] of rows) {
    await t.step(JSON.stringify([before, content]), async () => {
      Deno.writeFileSync(path, Uint8Array.from(before, (letter) => letter.charCodeAt(0)));
      const said = await call(path, content);
      expect(said.slice(said.indexOf(")") + 1)).toBe(note);
    });
  }
  Deno.writeTextFileSync(path, "a\r\n");
  const closed = contextFor("/", { mayRead: () => false });
  expect(await write.run({ file_path: path, content: "a\n" }, closed))
    .toBe(`Overwrote "${path}" (1 line)`);
});

Deno.test("write > missing directories are created", async () => {
  using directory = scratchDirectory();
  const path = `${directory.path}/a/b c/d/file`;
  expect(await call(path, "x\n")).toBe(`Created "${path}" (1 line)`);
  expect(Deno.readTextFileSync(path)).toBe("x\n");
});

Deno.test("write > an existing file keeps its mode, and the umask decides the mode of a new file", async (t) => {
  using directory = scratchDirectory();
  const path = `${directory.path}/file`;
  await call(path, "new\n");
  expect(modeOf(path)).toBe(0o666 & ~Deno.umask());
  for (const mode of [0o600, 0o644, 0o755, 0o640, 0o777]) {
    await t.step(mode.toString(8), async () => {
      Deno.chmodSync(path, mode);
      await call(path, `${mode}\n`);
      expect(modeOf(path)).toBe(mode);
    });
  }
});

Deno.test({
  name: "write > root keeps the owner of a file",
  ignore: Deno.uid() !== 0,
  async fn() {
    using directory = scratchDirectory();
    const path = `${directory.path}/file`;
    Deno.writeTextFileSync(path, "x");
    Deno.chownSync(path, 1234, 4321);
    await call(path, "y");
    expect(Deno.statSync(path)).toMatchObject({ uid: 1234, gid: 4321 });
  },
});

Deno.test("write > a write follows a symlink, and replaces one of several hard links", async () => {
  using directory = scratchDirectory();
  const at = (name: string) => `${directory.path}/${name}`;
  Deno.writeTextFileSync(at("file"), "old");
  Deno.linkSync(at("file"), at("hard"));
  Deno.symlinkSync("file", at("soft"));
  expect(await call(at("soft"), "new")).toBe(`Overwrote "${at("soft")}" (1 line)`);
  expect(Deno.readTextFileSync(at("file"))).toBe("new");
  expect(Deno.readTextFileSync(at("hard"))).toBe("old");
  expect(Deno.lstatSync(at("soft")).isSymlink).toBe(true);
});

Deno.test("write > a path that is not a regular file is refused and stays unchanged", async (t) => {
  using directory = scratchDirectory();
  const at = (name: string) => `${directory.path}/${name}`;
  Deno.mkdirSync(at("folder"));
  Deno.writeTextFileSync(at("file"), "x");
  Deno.symlinkSync("loop", at("loop"));
  expect(new Deno.Command("mkfifo", { args: [at("fifo")] }).outputSync().success).toBe(true);
  const before = names(directory.path);
  const rows: [path: string, why: string][] = [
    [at("folder"), "it is a directory"],
    [at("fifo"), "it is a named pipe (FIFO)"],
    ["/dev/null", "it is a device"],
    [at("file/below"), "a part of the path is a file, not a directory"],
    [at("file/below/it"), "a part of the path is a file, not a directory"],
    [at("loop"), "its symbolic links form a loop"],
    ["/", "it is a directory"],
    [at("a\0b"), "it contains a NUL character"],
    [at("n".repeat(256)), "a name has 255 at most"],
    [Deno.execPath(), "it is a running program"],
  ];
  for (const [path, why] of rows) {
    await t.step(why, async () => expect(await failure(path)).toContain(why));
  }
  expect(names(directory.path)).toEqual(before);
});

Deno.test("write > the longest names and odd names work", async (t) => {
  using directory = scratchDirectory();
  for (
    const name of ["n".repeat(255), "é".repeat(127), "𝒳".repeat(63), "new\nline", "~", "$HOME", " "]
  ) {
    await t.step(JSON.stringify(name.slice(0, 9)), async () => {
      await call(`${directory.path}/${name}`, "one\n");
      await call(`${directory.path}/${name}`, "two\n");
      expect(Deno.readTextFileSync(`${directory.path}/${name}`)).toBe("two\n");
    });
  }
  expect(names(directory.path).length).toBe(7);
});

Deno.test("write > only old temporary files of earlier writes are removed", async () => {
  using directory = scratchDirectory();
  const at = (name: string) => `${directory.path}/${name}`;
  const random = "0123456789abcdef0123456789abcdef";
  const old = new Date(Date.now() - 2 * 3600_000);
  const rows: [name: string, old: boolean, stays: boolean][] = [
    [`.file.toolcall-${random}`, true, false],
    [`.file.toolcall-${random.replaceAll("0", "1")}`, false, true],
    [`.other.toolcall-${random}`, true, false],
    [`.other.toolcall-${random.replaceAll("0", "1")}`, false, true],
    [`other.toolcall-${random}`, true, true],
    [`.other.toolcall-${random}0`, true, true],
    [".file.toolcall-notes", true, true],
  ];
  for (const [name, isOld] of rows) {
    Deno.writeTextFileSync(at(name), "x");
    if (isOld) Deno.utimeSync(at(name), old, old);
  }
  await call(at("file"), "x");
  const stay = rows.filter(([, , stays]) => stays).map(([name]) => name);
  expect(names(directory.path)).toEqual([...stay, "file"].sort());
});

Deno.test("write > a directory is searched for old temporary files once an hour", async () => {
  using directory = scratchDirectory();
  const late = `${directory.path}/.late.toolcall-0123456789abcdef0123456789abcdef`;
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3600_000);
  const { now } = Date;
  await call(`${directory.path}/file`, "one");
  Deno.writeTextFileSync(late, "x");
  Deno.utimeSync(late, hoursAgo(2), hoursAgo(2));
  await call(`${directory.path}/file`, "two");
  expect(names(directory.path)).toEqual([late.slice(directory.path.length + 1), "file"]);
  Date.now = () => now() + 3600_001;
  try {
    await call(`${directory.path}/file`, "three");
  } finally {
    Date.now = now;
  }
  expect(names(directory.path)).toEqual(["file"]);
});

Deno.test("write > a full disk leaves only the old file", async () => {
  using directory = scratchDirectory();
  const mounted = new Deno.Command("mount", {
    args: ["-t", "tmpfs", "-o", "size=64k", "tmpfs", directory.path],
    stderr: "null",
  }).outputSync().success;
  // deno-lint-ignore no-console -- The test runner shows a line that begins with this word.
  if (!mounted) return console.log("skipped: a full disk, because tmpfs cannot be mounted");
  try {
    await call(`${directory.path}/file`, "old\n");
    expect(await failure(`${directory.path}/file`, "x".repeat(200_000))).toBe(
      `Cannot write "${directory.path}/file": no space left on device`,
    );
    expect(names(directory.path)).toEqual(["file"]);
    expect(Deno.readTextFileSync(`${directory.path}/file`)).toBe("old\n");
  } finally {
    new Deno.Command("umount", { args: [directory.path] }).outputSync();
  }
});

Deno.test("write > a write works in a worker with permissions for the directory only", async () => {
  using directory = scratchDirectory();
  const source = `
    import write from ${JSON.stringify(new URL("../../../tools/write.ts", import.meta.url).href)};
    self.onmessage = async ({ data }) => {
      const mayRead = () => true;
      const ctx = { cwd: data, signal: new AbortController().signal, path: (path) => path, mayRead };
      const said = [];
      for (const content of ["one\\n", "two\\n"]) {
        said.push(await write.run({ file_path: data + "/new/file", content }, ctx).catch(String));
      }
      self.postMessage(said);
    };`;
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const worker = new Worker(url, {
    type: "module",
    deno: {
      permissions: {
        read: [directory.path],
        write: [directory.path],
        net: false,
        env: false,
        run: false,
      },
    },
  });
  const { promise, resolve } = Promise.withResolvers<string[]>();
  worker.onmessage = ({ data }) => resolve(data);
  worker.postMessage(directory.path);
  const said = await promise;
  worker.terminate();
  const path = `${directory.path}/new/file`;
  expect(said).toEqual([`Created "${path}" (1 line)`, `Overwrote "${path}" (1 line)`]);
});
