/** `toolcall add FILE.ts`: a tool in TypeScript for the user's own tools directory. */
import { expect } from "@std/expect";
import { temporaryDirectory, toolcall } from "../../../../support/executable.ts";

Deno.test("add > a tool in TypeScript is shown, and added with --yes", async () => {
  using directory = temporaryDirectory();
  const env = { XDG_CONFIG_HOME: `${directory.path}/home` };
  const run = (...args: string[]) => toolcall(args, { cwd: directory.path, env });
  const own = `${directory.path}/home/toolcall/tools`;
  await run("new", "greet", "--typescript", "--tools-dir=from");
  const shown = await run("add", "from/greet.ts");
  expect(shown.code).toBe(1);
  expect(shown.stdout).toContain('Tool "greet": Greets by name.\nSide effect: none\n');
  expect(shown.stdout).toContain(`Permissions: none\n`);
  expect(shown.stderr).toContain("Nothing was added. To add it, run the command again with --yes");
  expect(() => Deno.statSync(own)).toThrow(Deno.errors.NotFound);

  const added = await run("add", "from/greet.ts", "--yes");
  expect(added).toMatchObject({ code: 0, stderr: "" });
  expect(added.stdout).toContain(`Added the tool "greet" as "${own}/greet.ts"`);
  expect((await run("greet", "name=Ada")).stdout).toContain("Hello, Ada!");
  expect((await run("try", "greet")).stdout).toContain("2 of 2 passed");
});

Deno.test("add > a file without a valid tool changes nothing, and the error says why", async () => {
  using directory = temporaryDirectory();
  const env = { XDG_CONFIG_HOME: `${directory.path}/home` };
  const tool = (name: string, before = "") =>
    `import { simpleTool } from "toolcall";${before}\nexport default simpleTool("${name}", "x.", () => "1");\n`;
  const files: [name: string, text: string, code: number, says: string][] = [
    ["built_in.ts", tool("Read"), 2, 'Cannot add "Read": a built-in tool has it'],
    ["none.ts", "export const a = 1;\n", 1, "it has no default export"],
    ["throws.ts", 'throw new Error("no");\n', 1, "throws.ts:1"],
    ["reads.ts", tool("reads", '\nDeno.readTextFileSync("/etc/hosts");'), 1, "reads.ts"],
    ["imports.ts", tool("imports", '\nimport "./none.ts";'), 1, "toolcall add takes one file"],
    ["syntax.ts", "export default {\n", 1, "syntax.ts"],
  ];
  for (const [name, text, code, says] of files) {
    Deno.writeTextFileSync(`${directory.path}/${name}`, text);
    const { stderr, ...result } = await toolcall(["add", name, "--yes"], {
      cwd: directory.path,
      env,
    });
    expect({ name, code: result.code }).toEqual({ name, code });
    expect(stderr).toContain(says);
  }
  Deno.mkdirSync(`${directory.path}/open`);
  Deno.chmodSync(`${directory.path}/open`, 0o777);
  Deno.writeTextFileSync(`${directory.path}/good.ts`, tool("good"));
  const open = await toolcall(["add", "good.ts", "--yes", "--tools-dir=open"], {
    cwd: directory.path,
    env,
  });
  expect(open.code).toBe(2);
  expect(open.stderr).toContain("other users may write to it; run chmod go-w on");
  expect([...Deno.readDirSync(`${directory.path}/open`)]).toEqual([]);
  const far = await toolcall(["add", "http://127.0.0.1:9/a.ts"], { cwd: directory.path, env });
  expect(far.stderr).toContain("download the tool, read it, and add the file");
  const renamed = await toolcall(["add", "none.ts", "other"], { cwd: directory.path, env });
  expect(renamed).toMatchObject({ code: 2, stdout: "" });
  expect(renamed.stderr).toContain("leave out NAME");
  expect(() => Deno.statSync(`${directory.path}/home`)).toThrow(Deno.errors.NotFound);
});

Deno.test("add > a command tool with an error is refused before it is shown", async () => {
  using directory = temporaryDirectory();
  const env = { XDG_CONFIG_HOME: `${directory.path}/home` };
  const cases: [entry: Record<string, unknown>, says: string][] = [
    [{ description: "x", run: "wc -l" }, "/run: must be"],
    [{ run: ["wc"] }, 'must have "description"'],
    [{ description: "x", run: ["wc"], timeoutms: 5 }, 'did you mean "timeoutMs"?'],
    [{ description: "x", run: ["wc", "{path}"] }, '/run/1: "path" is not in the properties'],
    [
      { description: "x", run: ["wc"], inputSchema: { properties: { a: { type: "strin" } } } },
      "/inputSchema/properties/a/type: must be",
    ],
    [{ description: "x", run: ["wc"], inputSchema: { type: "array" } }, "/inputSchema/type: must"],
    [{ description: "x", run: ["wc"], inputSchema: { required: "a" } }, "/inputSchema/required:"],
  ];
  for (const [entry, says] of cases) {
    Deno.writeTextFileSync(`${directory.path}/tool.json`, JSON.stringify(entry));
    const { code, stdout, stderr } = await toolcall(["add", "tool.json", "--yes"], {
      cwd: directory.path,
      env,
    });
    expect({ entry, code, stdout }).toEqual({ entry, code: 1, stdout: "" });
    expect(stderr).toContain('Cannot add "tool.json": ');
    expect(stderr).toContain(says);
  }
  expect(() => Deno.statSync(`${directory.path}/toolcall.json`)).toThrow(Deno.errors.NotFound);
});
