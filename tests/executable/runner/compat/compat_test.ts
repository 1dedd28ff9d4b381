/** `--bundle=compat`: models call tools by the names that they know from other programs. */
import { expect } from "@std/expect";
import { call, oneLine, temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { Peer } from "../../../support/mcp/peer.ts";
import { trustFile } from "../../../support/trust.ts";

type Args = Record<string, unknown>;

/** A directory with files, and functions that make calls there with the bundle. */
function desk() {
  const directory = temporaryDirectory();
  const at = (name: string) => `${directory.path}/${name}`;
  Deno.mkdirSync(at("src"));
  Deno.writeTextFileSync(at("a.txt"), "one\nTwo\nthree\n");
  Deno.writeTextFileSync(
    at("b.ipynb"),
    JSON.stringify({
      ...{ nbformat: 4, nbformat_minor: 5, metadata: {} },
      cells: [{ id: "x", cell_type: "code", source: "1 + 1", metadata: {}, outputs: [] }],
    }),
  );
  const state = `--state-dir=${at("state")}`;
  return {
    at,
    path: directory.path,
    ask: (name: string, args: Args, flags: string[] = ["-A"]) =>
      call(name, args, { flags: ["--bundle=compat", state, ...flags], cwd: directory.path }),
    run: (...args: string[]) => toolcall([...args, state], { cwd: directory.path }),
    read: (name: string) => Deno.readTextFileSync(at(name)),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

/** Each name with arguments that work, a part of the answer, and the flag that the call needs. */
const works: [name: string, args: Args, says: string, flag: string][] = [
  ["LS", { path: "." }, "a.txt\nb.ipynb\nsrc/", "--allow-read="],
  ["list_directory", { dir_path: "." }, "a.txt\nb.ipynb\nsrc/", "--allow-read="],
  ["NotebookRead", { notebook_path: "b.ipynb" }, "1 + 1", "--allow-read="],
  ["read_file", { path: "a.txt", offset: 1, limit: 1 }, "     2\tTwo", "--allow-read="],
  ["search_file_content", { pattern: "TWO" }, "a.txt:2:Two", "--allow-read="],
  ["write_file", { file_path: "new/c.txt", content: "x\n" }, "new/c.txt", "--allow-write="],
  [
    "replace",
    { file_path: "a.txt", old_string: "one", new_string: "1", instruction: "Shorten it" },
    "+1",
    "--allow-read=",
  ],
  [
    "MultiEdit",
    {
      file_path: "a.txt",
      edits: [
        { old_string: "one", new_string: "1" },
        { old_string: "1", new_string: "2", replace_all: true },
      ],
    },
    "+2",
    "--allow-read=",
  ],
  ["run_shell_command", { command: "pwd; ls", dir_path: "src" }, "/src\n", "--allow-run=bash"],
];

for (const [name, args, says, flag] of works) {
  Deno.test(`compat > ${name} works, and fails without permission or with a wrong argument`, async () => {
    using here = desk();
    const refused = await here.ask(name, args, []);
    expect({ name, exit: refused.exit }).toEqual({ name, exit: 6 });
    expect(refused.text).toContain(flag);
    const wrong = await here.ask(name, { ...args, nonsense: 1 });
    expect({ name, exit: wrong.exit }).toEqual({ name, exit: 5 });
    expect(wrong.text).toContain(`Invalid arguments for "${name}":\n- /nonsense: unknown argument`);
    const worked = await here.ask(name, args);
    expect({ name, text: worked.text, exit: worked.exit })
      .toEqual({ name, text: worked.text, exit: 0 });
    expect(worked.text).toContain(says);
  });
}

Deno.test("compat > write_file and replace change files like the tools that they stand for", async () => {
  using here = desk();
  await here.ask("write_file", { path: "new/c.txt", content: "a a b\n" });
  const twice = { file_path: "new/c.txt", old_string: "a", new_string: "c" };
  expect((await here.ask("replace", twice)).isError).toBe(true);
  expect(here.read("new/c.txt")).toBe("a a b\n");
  expect((await here.ask("replace", { ...twice, allow_multiple: true })).isError).toBe(false);
  expect(here.read("new/c.txt")).toBe("c c b\n");
  await here.ask("write_file", { path: "new/e.txt", content: "a a\nb\n" });
  const counted = (expected_replacements: number) =>
    here.ask("replace", {
      ...{ file_path: "new/e.txt", old_string: "a", new_string: "c", expected_replacements },
    });
  for (const count of [1, 3]) {
    const { text, exit } = await counted(count);
    expect({ text, exit }).toEqual({
      text: `Cannot edit "${here.at("new/e.txt")}": old_string occurs 2 times, all in line 1; ` +
        `expected_replacements is ${count}; correct it, or old_string`,
      exit: 1,
    });
    expect(here.read("new/e.txt")).toBe("a a\nb\n");
  }
  expect((await counted(2)).exit).toBe(0);
  expect(here.read("new/e.txt")).toBe("c c\nb\n");
  // The permissions are those of the tool that the name stands for.
  const scoped = ["--allow-read=.", "--allow-write=src"];
  const outside = await here.ask("write_file", { path: "d.txt", content: "x" }, scoped);
  expect(outside.exit).toBe(6);
  const inside = await here.ask("write_file", { path: "src/d.txt", content: "x" }, scoped);
  expect(inside.exit).toBe(0);
});

Deno.test("compat > BashOutput and KillBash read and stop a background command", async () => {
  using here = desk();
  const command = "echo begun; sleep 1000";
  const started = await here.ask("run_shell_command", { command, is_background: true });
  const { id } = started._meta!["toolcall/task"];
  const stopped = await here.ask("KillBash", { shell_id: id });
  expect(stopped.text).toContain("was stopped");
  const output = await here.ask("BashOutput", { bash_id: id, filter: "x" });
  expect(output.text).toContain("was stopped");
  expect(output._meta).toEqual({ "toolcall/ignored": ["filter"] });
  for (const [name, key] of [["BashOutput", "bash_id"], ["KillBash", "shell_id"]] as const) {
    expect((await here.ask(name, {})).text).toContain(`/${key}: required`);
    expect((await here.ask(name, { [key]: "none" })).text).toContain("toolcall tasks");
  }
});

Deno.test("compat > the names are unknown without the bundle, and the error suggests the tool", async () => {
  using here = desk();
  for (const bundle of [[], ["--bundle=all"]]) {
    const { code, stdout } = await here.run(...bundle, "-A", "read_file", '{"path":"a.txt"}');
    expect(code).toBe(4);
    expect(stdout).toContain('did you mean \\"Read\\"?');
  }
});

Deno.test("compat > the bundle adds tools to the catalog, also over MCP", async () => {
  using here = desk();
  const names = async (...flags: string[]): Promise<string[]> => {
    const { stdout } = await here.run("list", "--format=json", ...flags);
    return JSON.parse(stdout).map(({ name }: { name: string }) => name);
  };
  const usual = await names();
  const all = await names("--bundle=compat");
  expect(usual.filter((name) => !all.includes(name))).toEqual([]);
  const added = all.filter((name) => !usual.includes(name));
  for (const name of [...works.map(([name]) => name), "BashOutput", "KillBash"]) {
    expect(added).toContain(name);
  }
  await using peer = Peer.start(["--bundle=compat", `--allow-read=${here.path}`], {
    cwd: here.path,
  });
  await peer.initialize();
  const { result } = await peer.request("tools/list");
  const offered = result.tools.map(({ name }: { name: string }) => name);
  expect(offered).toContain("read_file");
  expect(offered).not.toContain("run_shell_command");
  const read = await peer.call("read_file", { path: "a.txt" });
  expect(read.result.content[0].text).toContain("     1\tone");
  const described = await here.run("describe", "read_file", "--bundle=compat");
  expect(described.stdout).toContain("absolute_path");
  const listed = await toolcall(["bundles", "--format=json"], { cwd: here.path });
  const bundles = oneLine(listed) as Args[];
  expect(bundles.find(({ name }) => name === "compat")?.["tools"]).toEqual(added.sort());
});

Deno.test("compat > plan mode, disabled tools and configured tools of the same name are respected", async () => {
  using here = desk();
  const disabled = await here.ask("run_shell_command", { command: "true" }, [
    "-A",
    "--no-tools=Bash",
  ]);
  expect(disabled.exit).toBe(4);
  expect(disabled.text).toContain('it calls "Bash", which is disabled');
  await here.ask("EnterPlanMode", {});
  expect((await here.ask("run_shell_command", { command: "true" })).text).toContain("in plan mode");
  expect((await here.ask("write_file", { path: "x", content: "" })).text).toContain("in plan mode");
  expect((await here.ask("LS", { path: "." })).exit).toBe(0);
  const own = { description: "Says it is mine.", run: ["echo", "mine"] };
  Deno.writeTextFileSync(here.at("toolcall.json"), JSON.stringify({ commands: { LS: own } }));
  trustFile(here.at("toolcall.json"), here.at("state"));
  const other = ["-A", "--session=other"];
  expect((await here.ask("LS", {}, other)).text).toBe("mine\n");
});

Deno.test("compat > the audit log has the tool that ran, and the requested name", async () => {
  using here = desk();
  await here.ask("read_file", { path: "a.txt" }, ["-R", `--audit=${here.at("audit.jsonl")}`]);
  const [line] = here.read("audit.jsonl").trim().split("\n");
  expect(JSON.parse(line!)).toMatchObject({
    ...{ tool: "Read", asked: "read_file", arguments: { file_path: here.at("a.txt") } },
  });
});
