/** `toolcall config get`, `set`, `edit` and `path`. */
import { expect } from "@std/expect";
import { temporaryDirectory, toolcall } from "../../../../support/executable.ts";

/** A project with this configuration, and the user's own directory beside it. */
function project(text?: string) {
  const directory = temporaryDirectory();
  const { path } = directory;
  const file = `${path}/toolcall.json`;
  Deno.mkdirSync(`${path}/own`);
  if (text !== undefined) Deno.writeTextFileSync(file, text);
  return {
    path,
    file,
    config: (args: string[], env: Record<string, string> = {}) =>
      toolcall(["config", ...args], {
        cwd: path,
        env: { XDG_CONFIG_HOME: `${path}/own`, VISUAL: "", EDITOR: "", ...env },
      }),
    text: () => Deno.readTextFileSync(file),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

Deno.test("config set > a new value keeps the comments, and null removes a value", async () => {
  using it = project('{\n  // mine\n  "tools": { "disabled": ["Bash"] } // last\n}\n');
  const run = await it.config(["set", "tools.disabled", '["Grep"]']);
  expect(run).toMatchObject({ code: 0, stderr: "" });
  expect(run.stdout).toContain('/tools/disabled is now ["Grep"]');
  expect(it.text()).toContain("// mine");
  expect(it.text()).toContain("// last");
  expect((await it.config(["get", "tools.disabled"])).stdout).toBe('[\n  "Grep"\n]\n');
  await it.config(["set", "/policy/fs.read/timeoutMs", "5000"]);
  const found = JSON.parse((await it.config(["get", "/policy", "--format=json"])).stdout);
  expect(found).toEqual([{ file: it.file, value: { "fs.read": { timeoutMs: 5000 } } }]);
  await it.config(["set", "policy", "null"]);
  expect((await it.config(["get", "policy"])).code).toBe(1);
});

Deno.test("config set > a value that config check refuses is not written", async () => {
  using it = project('{ "tools": {} }\n');
  const before = it.text();
  const rows: [args: string[], code: number, says: string][] = [
    [["tools.disabled", '["Bsh"]'], 1, 'unknown tool "Bsh"'],
    [["tols.disabled", '["Bash"]'], 1, 'did you mean "/tools"?'],
    [["policy", "7"], 1, "/policy"],
    [["tools.disabled"], 2, "Missing value"],
    [["model.endpoint", "x"], 2, "a setting of the tool Config"],
    [[], 2, "Missing key"],
  ];
  for (const [args, code, says] of rows) {
    const run = await it.config(["set", ...args]);
    expect({ args, code: run.code }).toEqual({ args, code });
    expect(run.stderr).toContain(says);
    expect(it.text()).toBe(before);
  }
});

Deno.test("config > --user, --config and --root select the file", async () => {
  using it = project();
  const own = `${it.path}/own/toolcall/toolcall.json`;
  const paths = `${it.file} (missing)\n${own} (missing)\n`;
  expect((await it.config(["path"])).stdout).toBe(paths);
  await it.config(["set", "tools.disabled", '["Bash"]', "--user"]);
  expect(JSON.parse(Deno.readTextFileSync(own))).toEqual({ tools: { disabled: ["Bash"] } });
  expect((await it.config(["path", "--user"])).stdout).toBe(`${own}\n`);
  await it.config(["set", "tools.disabled", '["Grep"]', "--config=other.json"]);
  expect(JSON.parse(Deno.readTextFileSync(`${it.path}/other.json`)).tools.disabled)
    .toEqual(["Grep"]);
  // The user's own file exists, so it is the first one of this root.
  expect((await it.config(["get", "tools.disabled", "--root=own"])).stdout).toBe(
    '[\n  "Bash"\n]\n',
  );
  expect((await it.config(["path", "--user", "--config=x"])).code).toBe(2);
});

Deno.test("config edit > the editor's text is written, unless check refuses it", async () => {
  using it = project('{ "tools": {} }\n');
  const editor = (text: string) => `printf '%s' '${text}' | tee`;
  const good = await it.config(["edit"], { EDITOR: editor('{ "tools": {}, /* mine */ }') });
  expect(good).toMatchObject({ code: 0, stderr: "" });
  expect(good.stdout).toContain("Wrote");
  expect(it.text()).toBe('{ "tools": {}, /* mine */ }');
  const wrong = editor('{\n "tools": {"disabled": ["Bsh"]} }');
  const refused = await it.config(["edit"], { VISUAL: wrong, EDITOR: "false" });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(`${it.file}:2:25: /tools/disabled/0: unknown tool "Bsh"`);
  const [, draft] = refused.stderr.match(/Your text is in "(.*)"/)!;
  expect(Deno.readTextFileSync(draft!)).toContain("Bsh");
  Deno.removeSync(draft!.replace(/\/[^/]*$/, ""), { recursive: true });
  expect(it.text()).toBe('{ "tools": {}, /* mine */ }');
  expect((await it.config(["edit"], { EDITOR: "true" })).stdout).toContain("Nothing to do");
  expect((await it.config(["edit"], { EDITOR: "false" })).code).toBe(1);
  const none = await it.config(["edit"]);
  expect(none.code).toBe(2);
  expect(none.stderr).toContain("set VISUAL or EDITOR");
});
