/** A tool of a user's own: from nothing to a call, with the executable only. */
import { expect } from "@std/expect";
import { executable, temporaryDirectory, toolcall } from "../../../../support/executable.ts";

/** An empty project, in which the executable is run. */
function emptyProject() {
  const directory = temporaryDirectory();
  const path = `${directory.path}/project`;
  Deno.mkdirSync(path);
  const env = { XDG_CONFIG_HOME: `${directory.path}/home` };
  return {
    path,
    env,
    run: (...args: string[]) => toolcall(args, { cwd: path, env }),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

Deno.test("new > the first steps of docs/tools.md lead to a working tool in five seconds", async () => {
  using here = emptyProject();
  const page = Deno.readTextFileSync(new URL("../../../../../docs/tools.md", import.meta.url));
  const blocks = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, text]) => text!);
  expect(blocks[0]).toContain("toolcall new");
  const json = page.match(/^```json\n([^]*?)^```$/m)![1]!;
  const start = performance.now();
  const shell = async (script: string) => {
    const { code, stdout, stderr } = await new Deno.Command("sh", {
      args: ["-e", "-c", `toolcall() { "${executable}" "$@"; }\n${script}`],
      cwd: here.path,
      env: here.env,
    }).output();
    const decoder = new TextDecoder();
    return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  };
  const first = await shell(blocks[0]!);
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect(first.stdout).toContain("2 of 2 passed");
  expect(first.stdout).toContain("Hello, Ada!");
  expect(performance.now() - start).toBeLessThan(5_000);
  expect((await shell(blocks[1]!)).code).toBe(0);
  Deno.writeTextFileSync(`${here.path}/notes.txt`, "one two\n");
  const counted = await here.run(
    "--allow-run=wc",
    "--allow-read=.",
    "count_lines",
    "path=notes.txt",
  );
  expect(counted.stdout).toContain("1 notes.txt");
  Deno.writeTextFileSync(`${here.path}/toolcall.json`, json);
  const words = await here.run("--allow-run=wc", "--allow-read=.", "count_words", "path=notes.txt");
  expect(words.stdout).toContain("2 notes.txt");
  expect((await here.run("config", "check")).code).toBe(0);
});

Deno.test("new > a name that is used, and a command that is not safe, change nothing", async () => {
  using here = emptyProject();
  expect((await here.run("new", "greet")).code).toBe(0);
  const before = Deno.readTextFileSync(`${here.path}/toolcall.json`);
  const cases: [args: string[], why: string][] = [
    [["greet"], "has it already"],
    [["Bash"], "a built-in tool has it"],
    [[], "Missing tool name"],
    [["bad name"], "invalid name"],
    [["shout", "--", "sh", "-c", "echo {text}"], "interpreter"],
    [["choose", "--", "{program}"], "the program must be fixed"],
    [["brace", "--", "echo", "{"], "brace without a name"],
  ];
  for (const [args, why] of cases) {
    const { code, stderr } = await here.run("new", ...args);
    expect(code).toBeGreaterThan(0);
    expect(stderr).toContain(why);
  }
  expect(Deno.readTextFileSync(`${here.path}/toolcall.json`)).toBe(before);
});

Deno.test("try > an example that needs more than the tool declares fails and names it", async () => {
  using here = emptyProject();
  Deno.writeTextFileSync(`${here.path}/notes.txt`, "secret\n");
  const tool = {
    description: "Prints notes.",
    run: ["cat", "notes.txt"],
    examples: [{ description: "Print them", input: {}, expect: "secret" }],
  };
  const write = (notes: unknown) =>
    Deno.writeTextFileSync(`${here.path}/toolcall.json`, JSON.stringify({ commands: { notes } }));
  write(tool);
  const refused = await here.run("try", "notes");
  expect(refused.code).toBe(1);
  expect(refused.stdout).toContain("failed: Print them");
  expect(refused.stdout).toContain("--allow-read=");
  write({ ...tool, needs: { read: ["notes.txt"] } });
  expect(await here.run("try", "notes")).toMatchObject({
    code: 0,
    stdout: "ok: Print them\n1 of 1 passed\n",
  });
  write({ ...tool, examples: [] });
  expect((await here.run("try", "notes")).stderr).toContain("has no examples");
  expect((await here.run("try", "nothing")).code).toBe(2);
});
