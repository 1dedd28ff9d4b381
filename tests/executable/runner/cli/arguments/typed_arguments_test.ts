/** Arguments as users type them on the command line. */
import { expect } from "@std/expect";
import {
  executable,
  oneLine,
  type Result,
  temporaryDirectory,
  toolcall,
} from "../../../../support/executable.ts";
import { nasty, world } from "../../../../support/mcp/client_world.ts";

/** A directory with the files of the table. */
function scene(): { path: string } & Disposable {
  const directory = temporaryDirectory();
  const write = (name: string, text: string | Uint8Array) =>
    typeof text === "string"
      ? Deno.writeTextFileSync(`${directory.path}/${name}`, text)
      : Deno.writeFileSync(`${directory.path}/${name}`, text);
  write("a.txt", "text of a\n");
  write("@x", "text of @x\n");
  write("-", "text of -\n");
  write("{x", "text of {x\n");
  write("a=b", "text of a=b\n");
  write("args.json", '{"path":"a.txt"}');
  write("broken.json", '{"path":');
  write("name.txt", "a.txt");
  write("picture.png", new Uint8Array([0x89, 0xff, 0xfe]));
  Deno.mkdirSync(`${directory.path}/sub`);
  Deno.symlinkSync("/etc/hostname", `${directory.path}/link`);
  return directory;
}

/** A row: the operands and flags, the exit code, and a part of stdout. */
type Row = [args: string[], code: number, says: string, stdin?: string];

const READ: readonly Row[] = [
  [["fs.read", "path=a.txt"], 0, "text of a"],
  [["fs.read", "a.txt"], 0, "text of a"],
  [["fs.read", 'path:="a.txt"'], 0, "text of a"],
  [["fs.read", "path@=name.txt"], 0, "text of a"],
  [["fs.read", "path@=-"], 0, "text of a", "a.txt"],
  [["fs.read", "@args.json"], 0, "text of a"],
  [["fs.read", "-"], 0, "text of a", '{"path":"a.txt"}'],
  [["fs.read", ' {"path":"a.txt"}'], 0, "text of a"],
  [["--", "fs.read", "a.txt"], 0, "text of a"],
  // Every string after "=" is literal.
  [["fs.read", "path=@x"], 0, "text of @x"],
  [["fs.read", "path=-"], 0, "text of -"],
  [["fs.read", "path={x"], 0, "text of {x"],
  [["fs.read", "path=a=b"], 0, "text of a=b"],
  // The case of a tool's name does not matter.
  [["FS.READ", "a.txt"], 0, "text of a"],
  [["Fs.Read", '{"path":"a.txt"}'], 0, "text of a"],
  [["FILEREAD"], 5, '\\"Read\\"', "{}"],
  [["call", "FS.READ", '{"path":"a.txt"}'], 4, "Unknown tool"],
  [[], 4, "Unknown tool", '{"name":"FS.READ","arguments":{"path":"a.txt"}}'],
  // Only JSON is accepted after "call".
  [["call", "fs.read", "a.txt"], 3, "malformed_call"],
  [["call", "fs.read", "path=a.txt"], 3, "malformed_call"],
  [["call", "fs.read", "@args.json"], 3, "malformed_call"],
  [["call", "fs.read", "-"], 3, "malformed_call", '{"path":"a.txt"}'],
  // Wrong arguments are failures of the call.
  [["fs.read", "pth=a.txt"], 5, 'unknown argument \\"pth\\"; did you mean \\"path\\"?'],
  [["fs.read", "__proto__=a"], 5, "/__proto__: unknown argument"],
  [["search", "text", "limit=x"], 5, "/limit: must be integer"],
  [["fs.read", "@missing"], 5, "No such file or directory"],
  [["fs.read", "@sub"], 5, "not a regular file"],
  [["fs.read", "path@=picture.png"], 5, "it is not text in UTF-8"],
  [["fs.read", "@broken.json"], 3, "malformed_call"],
  [["nothing", "path=a"], 4, 'Unknown tool \\"nothing\\"'],
];

Deno.test("typed arguments > each form of an argument has its exit code and output", async (t) => {
  using directory = scene();
  for (const [args, code, says, stdin = ""] of READ) {
    await t.step(`toolcall ${args.join(" ")}`, async () => {
      const run = await toolcall(["-R=.", ...args], { cwd: directory.path, stdin });
      expect([run.code, run.stderr]).toEqual([code, ""]);
      oneLine(run);
      expect(run.stdout).toContain(says);
    });
  }
});

Deno.test("typed arguments > check shows the values with the types of the schema", async (t) => {
  using directory = scene();
  const rows: [args: string[], value: Record<string, unknown>][] = [
    [["search", "1", "limit=3", "ignore_case=true"], { query: "1", limit: 3, ignore_case: true }],
    [["search", "query=true", "limit:=4"], { query: "true", limit: 4 }],
    [["READ", "file_path=/a b", "offset=2"], { file_path: "/a b", offset: 2 }],
    [["file", "action=list", "path=sub"], { action: "list", path: "sub" }],
    [["--", "Grep", "pattern=x", "-A=2", "-i=true"], { pattern: "x", "-A": 2, "-i": true }],
  ];
  for (const [args, value] of rows) {
    await t.step(args.join(" "), async () => {
      const command = args[0] === "--" ? ["--", "check", ...args.slice(1)] : ["check", ...args];
      const run = await toolcall(["-R", ...command], { cwd: directory.path });
      expect(oneLine(run)).toMatchObject({ arguments: value });
    });
  }
});

Deno.test("typed arguments > conflicting arguments fail with one line on stderr and exit code 2", async (t) => {
  using directory = scene();
  const rows: [args: string[], says: string][] = [
    [["fs.read", "path=a", "path=b"], '"path" is given twice'],
    [["fs.read", "path=a", 'path:="b"'], '"path" is given twice'],
    [["fs.read", 'path:="b"', "path=a"], '"path" is given twice'],
    [["fs.read", "a.txt", "path=b"], '"path" is given twice'],
    [["fs.read", "a.txt", "b.txt"], 'Unexpected argument "b.txt"; "path" has a value already'],
    [["fs.read", '{"path":"a.txt"}', "path=b"], '"path=b" with JSON'],
    [["fs.read", "path=b", '{"path":"a.txt"}'], '"path=b" with JSON'],
    [["fs.read", "@args.json", "path=b"], '"path=b" with "@FILE"'],
    [["fs.read", "-", "path=b"], '"path=b" with "-"'],
    [["Write", "file_path@=-", "content@=-"], "Two arguments read stdin"],
    [["fs.read", "path:=a"], "write a string as path=TEXT"],
    [["search", "x", "limit=12345678901234567890"], "has too many digits"],
    [["Write", "a.txt"], 'KEY=VALUE, or as JSON such as \'{"file_path":'],
    [["TodoWrite", "todos=x"], "takes a list of objects; write it as JSON: 'todos:=[…]'"],
    [["call", "fs.read", "path=a", "path=b"], 'Unexpected argument "path=b"'],
    // A space is in place of "=".
    [
      ["-R", ".", "fs.read", '{"path":"a"}'],
      '"." looks like a value of -R; write -R=. (or --allow-read=.)',
    ],
    [["-R", ".", "fs.read"], "write -R=. (or --allow-read=.)"],
    [["fs.read", "path=a", "--allow-read", "."], "write --allow-read=."],
    [["fs.list", "-RW", "./sub"], '"./sub" looks like a value of -RW; write -RW=./sub'],
    [["fs.list", "{}", "-R", "."], "write -R=."],
    [["-N", "example.com", "WebFetch", "url=a"], '"example.com" looks like a value of -N'],
    [["-R", "sub"], '"sub" looks like a value of -R'],
    [["mcp", "-R", "."], "write -R=. (or --allow-read=.)"],
    [["submit", "-R", "."], "write -R=. (or --allow-read=.)"],
    [["call", "-R", ".", "fs.read", "{}"], "write -R=. (or --allow-read=.)"],
  ];
  for (const [args, says] of rows) {
    await t.step(`toolcall ${args.join(" ")}`, async () => {
      const run = await toolcall(args, { cwd: directory.path });
      expect([run.code, run.stdout]).toEqual([2, ""]);
      expect(run.stderr).toMatch(/^toolcall: [^\n]+\n$/);
      expect(run.stderr).toContain(says);
    });
  }
  // The name of a tool may follow such a flag, also a misspelled name.
  const misspelled = await toolcall(["-R", "fs.raed", "a.txt"], { cwd: directory.path });
  expect([misspelled.code, misspelled.stderr]).toEqual([4, ""]);
  expect(misspelled.stdout).toContain('did you mean \\"fs.read\\"?');
  const run = await toolcall(["-R", "fs.read", "a.txt"], { cwd: directory.path });
  expect(run.stdout).toContain("text of a");
});

Deno.test("typed arguments > a file is read only if the flags grant it, and the failure names the flag", async (t) => {
  using directory = scene();
  const { path } = directory;
  const rows: [flags: string[], operand: string, says: string][] = [
    [[], "@args.json", `needs --allow-read=${path}/args.json`],
    [[], "path@=name.txt", `needs --allow-read=${path}/name.txt`],
    [["-R=sub"], "path@=name.txt", `needs --allow-read=${path}/name.txt`],
    [["-W"], "@args.json", `needs --allow-read=${path}/args.json`],
    [["-R=."], "path@=link", "needs --allow-read=/etc/hostname"],
    [["-R=."], "path@=/etc/hostname", "needs --allow-read=/etc/hostname"],
    [["-R", "--deny-read=name.txt"], "path@=name.txt", "is denied by --deny-read="],
    [["-A", "--deny-read=."], "@args.json", "is denied by"],
    [["-R"], "path@=/proc/self/environ", "needs --allow-all"],
    [["-R", `--audit=${path}/log`], "path@=log", "log"],
  ];
  for (const [flags, operand, says] of rows) {
    await t.step(`${flags.join(" ")} ${operand}`, async () => {
      Deno.writeTextFileSync(`${path}/log`, "a.txt");
      const run = await toolcall([...flags, "fs.read", operand], { cwd: path });
      const asRead = await toolcall([
        ...flags,
        "Read",
        JSON.stringify({ file_path: pathOf(operand, path) }),
      ], { cwd: path });
      const [needs, asked] = [run, asRead].map((each) =>
        JSON.stringify((oneLine(each) as Result)._meta?.["toolcall/error"]["needs"])
          .replace(/\/proc\/\d+/, "/proc/self")
      );
      expect(needs).toBe(asked);
      expect([run.code, asRead.code]).toEqual([6, 6]);
      expect(run.stdout).toContain(says);
    });
  }
});

/** The absolute path of the file in an operand. */
function pathOf(operand: string, directory: string): string {
  const name = operand.slice(operand.indexOf("@") + 1).replace(/^=/, "");
  return name.startsWith("/") ? name : `${directory}/${name}`;
}

Deno.test("typed arguments > the error for malformed JSON shows an example of the arguments", async () => {
  const expected = `expected JSON such as '{"path":"hello.txt"}'`;
  for (const args of [["fs.read", '{"path":'], ["call", "fs.read", "a.txt"], ["fs.read", "-"]]) {
    const run = await toolcall(["-R", ...args], { stdin: "[1]" });
    expect(run.code).toBe(3);
    expect((oneLine(run) as Result).content[0]!.text).toContain(expected);
  }
  const unnamed = await toolcall(["-R"], { stdin: "a.txt" });
  expect(unnamed.stdout).toContain('{\\"name\\":\\"fs.read\\"');
});

Deno.test("typed arguments > the error for several calls on stdin names submit", async () => {
  const stdin = '{"name":"fs.list"}\n{"name":"fs.list"}\n';
  const run = await toolcall(["-R"], { stdin });
  expect(run.code).toBe(3);
  expect((oneLine(run) as Result).content[0]!.text)
    .toContain('the input is several calls, one on each line: "toolcall submit" runs them');
});

Deno.test("typed arguments > the commands in docs/arguments.md work", async () => {
  const page = Deno.readTextFileSync(
    new URL("../../../../../docs/arguments.md", import.meta.url),
  );
  const commands = [...page.matchAll(/^toolcall .*$/gm)].map(([line]) => line);
  expect(commands.length).toBeGreaterThanOrEqual(3);
  using directory = scene();
  Deno.writeTextFileSync(`${directory.path}/README.md`, "A TODO");
  Deno.symlinkSync(executable, `${directory.path}/toolcall`);
  const { stdout, stderr, success } = await new Deno.Command("sh", {
    args: ["-ec", commands.join("\n")],
    cwd: directory.path,
    env: { PATH: `${directory.path}:${Deno.env.get("PATH")}` },
    stdin: "null",
  }).output();
  expect([success, new TextDecoder().decode(stderr)]).toEqual([true, ""]);
  const lines = new TextDecoder().decode(stdout).trim().split("\n");
  expect(lines).toHaveLength(commands.length);
  for (const line of lines) expect(line).toContain("TODO");
});

Deno.test("typed arguments > the tools of MCP servers take typed arguments, by their exact names", async () => {
  using place = world((directory) => ({ it: nasty("plain", directory) }));
  const run = await place.run(["--allow-mcp", "mcp__it__echo", "text=b 1"]);
  expect(oneLine(run)).toMatchObject({ content: [{ text: "b 1" }] });
  expect((await place.run(["--allow-mcp", "MCP__it__echo", "text=b"])).code).toBe(4);
});
