import { expect } from "@std/expect";
import { flags } from "../../../../src/runner/cli/flags.ts";
import { oneLine, temporaryDirectory, toolcall } from "../../../support/executable.ts";

Deno.test("command line > a wrong command line prints only one line, on stderr, and exits with code 2", async (t) => {
  using directory = temporaryDirectory();
  const lines: [args: string[], says: string][] = [
    [["--alow-read"], 'did you mean "--allow-read"?'],
    [["--allow-reed=/x"], 'did you mean "--allow-read"?'],
    [["--zzzzzzzzzzzzzzz"], '"toolcall --help"'],
    [["-Rq"], '"-Rq"'],
    [["--allow-read="], "--allow-read needs a value"],
    [["--allow-read=a,"], "empty value"],
    [["--root"], "--root needs a value"],
    [["--root", "--allow-read"], "--root needs a value"],
    [[`--root=${directory.path}/none`], "does not exist"],
    [["--allow-all=yes"], "takes no value"],
    [["--help=x"], "takes no value"],
    [["-P="], "--permission-set needs a value"],
    [["-P=a", "--permission-set"], "--permission-set is given twice"],
    [["--bundle=all", "--bundle=read_only"], "--bundle is given twice"],
    [["--audit=/a", "--audit=/a"], "--audit is given twice"],
    [["Read", "{}", "more"], '"more"'],
    [["list", "more"], 'Unknown tool "more"'],
    [["list", "--category=more"], "available: code, vcs"],
    [["list", "--lint", "--format=mcp"], "available: text and json"],
    [["call", "--format=json"], "function-call and text"],
    [["check", "--format=openai"], "json and text"],
    [["grammar", "--format=text"], 'cannot be combined with "grammar"'],
    [["tasks", "--root=."], 'cannot be combined with "tasks"'],
    [["list", "--format=xml"], "gemini, bedrock, ai-sdk, mistral, cohere, ollama and langchain"],
    [["describe"], "Missing tool name"],
    [["describe", "Grpe"], 'did you mean "Grep"?'],
    [["\u001b[31m-", "--\u001b[31m"], "\\u001b"],
  ];
  for (const [args, says] of lines) {
    await t.step(args.join(" ").replace(directory.path, "DIR"), async () => {
      const run = await toolcall(args);
      expect(run.stdout).toBe("");
      expect(run.stderr).toContain(says);
      expect(run.stderr.split("\n")).toHaveLength(2);
      expect(run.stderr).toMatch(/^toolcall: /);
      expect(run.code).toBe(2);
    });
  }
});

Deno.test("command line > a call comes from stdin, from operands, or from both", async (t) => {
  using directory = temporaryDirectory();
  const hello = `${directory.path}/hello.txt`;
  Deno.writeTextFileSync(hello, "Hello\n");
  const json = JSON.stringify({ path: "hello.txt" });
  const ways: [name: string, args: string[], stdin: string][] = [
    ["stdin", [], `{"name":"fs.read","arguments":${json}}`],
    ["call and stdin", ["call"], `{"name":"fs.read","arguments":${json}}`],
    ["NAME and JSON", ["fs.read", json], ""],
    ["call NAME JSON", ["call", "fs.read", json], ""],
    ["an alias", ["fs_read", json], ""],
    ["NAME, and its arguments on stdin", ["fs.read"], json],
    ["operands after --", ["--", "fs.read", json], ""],
  ];
  for (const [name, args, stdin] of ways) {
    await t.step(name, async () => {
      const flags = args.includes("--") ? ["-R=.", ...args] : [...args, "-R=."];
      const run = await toolcall(flags, { stdin, cwd: directory.path });
      expect(run).toMatchObject({ code: 0, stderr: "" });
      expect(oneLine(run)).toMatchObject({ content: [{ text: "Hello\n" }], isError: false });
    });
  }
  await t.step("a NAME with an empty stdin means no arguments", async () => {
    const run = await toolcall(["fs.list", "-R=."], { cwd: directory.path });
    expect(oneLine(run)).toMatchObject({ content: [{ text: "hello.txt" }] });
  });
  await t.step("a closed stdin counts as empty", async () => {
    const { executable } = await import("../../../support/executable.ts");
    const run = await new Deno.Command("sh", {
      args: ["-c", '"$0" fs.list -R=. <&-', executable],
      cwd: directory.path,
    }).output();
    expect(new TextDecoder().decode(run.stdout)).toContain("hello.txt");
  });
});

Deno.test("command line > permission flags follow Deno's grammar", async (t) => {
  using directory = temporaryDirectory();
  Deno.mkdirSync(`${directory.path}/a,b`);
  Deno.mkdirSync(`${directory.path}/c`);
  for (const name of ["a,b", "c"]) Deno.writeTextFileSync(`${directory.path}/${name}/f`, name);
  const rows: [flags: string[], path: string, granted: boolean][] = [
    [[], "c/f", false],
    [["--allow-read"], "c/f", true],
    [["-R"], "c/f", true],
    [["-R=c"], "c/f", true],
    [["-RW=c"], "c/f", true],
    [["-WR=c"], "a,b/f", false],
    [["--allow-read=c"], "a,b/f", false],
    [["--allow-read=a,,b"], "a,b/f", true],
    [["--allow-read=x,a,,b"], "a,b/f", true],
    [["--allow-read=x", "--allow-read=c"], "c/f", true],
    [["--allow-read", "--deny-read=c"], "c/f", false],
    [["-A", "--deny-read=c/f"], "c/f", false],
    [["-A", "--deny-read"], "c/f", false],
    [["--allow-write"], "c/f", false],
    [["--allow-all"], "c/f", true],
  ];
  for (const [flags, path, granted] of rows) {
    await t.step(
      `${flags.join(" ") || "no flag"} ${granted ? "lets" : "does not let"} it read ${path}`,
      async () => {
        const arg = JSON.stringify({ path });
        const run = await toolcall(["fs.read", arg, ...flags], { cwd: directory.path });
        expect(run.code).toBe(granted ? 0 : 6);
        const check = await toolcall(["check", "fs.read", arg, ...flags], { cwd: directory.path });
        expect(oneLine(check)).toMatchObject({ tool: "fs.read", arguments: { path }, granted });
        expect(check.code).toBe(granted ? 0 : 6);
      },
    );
  }
});

Deno.test("command line > --root sets the directory of relative paths", async () => {
  using directory = temporaryDirectory();
  Deno.writeTextFileSync(`${directory.path}/f`, "here");
  const run = await toolcall(["fs.read", '{"path":"f"}', `--root=${directory.path}`, "-R"]);
  expect(run.stdout).toContain("here");
});

Deno.test("command line > --version, --help, list and describe print their pages", async (t) => {
  await t.step("--version", async () => {
    const { version } = (await import("../../../../deno.json", { with: { type: "json" } })).default;
    expect(await toolcall(["--version"])).toEqual({
      code: 0,
      stdout: `toolcall ${version}\n`,
      stderr: "",
    });
  });
  await t.step("help all names every command and flag", async () => {
    const { stdout, code } = await toolcall(["help", "all"]);
    expect(code).toBe(0);
    const commands = [
      "call",
      "check",
      "list",
      "grammar",
      "describe",
      "tasks",
      "mcp install",
      "doctor",
    ];
    for (const command of commands) {
      expect(stdout).toMatch(new RegExp(`(Usage:|^ {6}) toolcall ${command} `, "m"));
    }
    for (const { name } of flags) expect(stdout).toMatch(new RegExp(` --${name}[ =[]`));
  });
  for (
    const command of ["call", "check", "list", "describe", "grammar", "tasks", "doctor", "mcp"]
  ) {
    await t.step(`${command} --help`, async () => {
      const { stdout, code } = await toolcall([command, "--help"]);
      expect(code).toBe(0);
      expect(stdout).toContain(`toolcall ${command}`);
    });
  }
  await t.step("list prints a table, and MCP definitions for programs", async () => {
    const table = await toolcall(["list"]);
    expect(table.stdout).toMatch(/^NAME +CATEGORY/);
    const { tools } = oneLine(await toolcall(["list", "--format=mcp"])) as {
      tools: { name: string; title: string }[];
    };
    for (const { title } of tools) expect(table.stdout).toContain(title);
    expect(oneLine(await toolcall(["list", "--format=json"]))).toHaveLength(tools.length);
  });
  await t.step("describe prints arguments, permissions and examples", async () => {
    const { stdout } = await toolcall(["describe", "FileRead"]);
    for (const word of ["file_path (string, required, ", "--allow-read", "=/", " Read '{"]) {
      expect(stdout).toContain(word);
    }
  });
});
