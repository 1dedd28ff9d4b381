import { expect } from "@std/expect";
import { oneLine, temporaryDirectory, toolcall } from "../../../../support/executable.ts";
import { hasVendorTools } from "../../../../support/vendor_catalogue.ts";
import { answer } from "../../dialect/message.ts";
import { trustFile } from "../../../../support/trust.ts";

const bash = { type: "bash_20250124", name: "bash" };
const editor = { type: "text_editor_20250728", name: "str_replace_based_edit_tool" };
const memory = { type: "memory_20250818", name: "memory" };
const shell = { type: "shell", environment: { type: "local" } };
const [oldShell, patch] = [{ type: "local_shell" }, { type: "apply_patch" }];

const cases: readonly [args: string[], anthropic: unknown[], responses: unknown[]][] = [
  [[], [bash, editor, memory], [shell, patch]],
  [["-A"], [bash, editor], [shell, patch]],
  [["-A", "--memory-dir=."], [bash, editor, memory], [shell, patch]],
  [["-A", "--deny-run"], [editor], [patch]],
  [["--allow-run=bash"], [bash], [shell]],
  [["--allow-run=bash", "--deny-run"], [], []],
  [["--allow-read=.", "--memory-dir=./notes"], [editor, memory], []],
  [["--allow-read=.", "--deny-read=notes", "--memory-dir=notes"], [editor], []],
  [["--allow-read=src", "--memory-dir=notes"], [editor], []],
  [["--allow-read=.", "--allow-write=."], [editor], [patch]],
  [["--no-tools=Bash"], [editor, memory], [patch]],
  [["--tools=Bash,apply_patch"], [bash], [shell, patch]],
  [["Bash"], [bash], [shell]],
  [["shell.exec"], [], [oldShell]],
  [["--no-tools=shell.run"], [bash, editor, memory], [oldShell, patch]],
];

Deno.test("list --vendor > the list has the vendor's entries of the tools that the flags allow", async (t) => {
  if (!await hasVendorTools()) return;
  for (const [args, anthropic, responses] of cases) {
    await t.step(args.join(" ") || "no flag", async () => {
      for (const [format, entries] of [["anthropic", anthropic], ["responses", responses]]) {
        const run = await toolcall(["list", ...args, `--format=${format}`, "--vendor"]);
        expect({ format, list: oneLine(run) }).toEqual({ format, list: entries });
        expect(run.code).toBe(0);
      }
    });
  }
});

Deno.test("list --vendor > the flag needs a format whose vendor defines tools", async () => {
  const without = await toolcall(["list", "--vendor"]);
  expect(without.code).toBe(2);
  expect(without.stderr).toContain("--vendor needs --format=anthropic or --format=responses");
  const memory = await toolcall(["list", "--memory-dir=."]);
  expect(memory.code).toBe(2);
  expect(memory.stderr).toContain("--memory-dir needs --vendor");
  const other = await toolcall(["list", "--vendor", "--format=gemini"]);
  expect(other.code).toBe(2);
  expect(other.stderr).toContain("available: anthropic and responses");
});

Deno.test({
  name:
    "the vendor's bash > a configured tool with that name gets the calls, and the vendor's entry is omitted",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    using directory = temporaryDirectory();
    const cwd = directory.path;
    const command = {
      description: "Prints a text.",
      run: ["printf", "configured: %s", "{command}"],
      inputSchema: {
        type: "object",
        properties: { command: { type: "string", description: "The text." } },
        required: ["command"],
      },
    };
    Deno.writeTextFileSync(
      `${cwd}/toolcall.json`,
      JSON.stringify({ commands: { bash: command } }),
    );
    trustFile(`${cwd}/toolcall.json`);
    const block = { type: "tool_use", id: "1", name: "bash", input: { command: "echo a" } };
    const flags = ["--allow-run=printf,bash", "--format=same"];
    const { exit, printed } = await answer(block, { flags, cwd });
    expect({ exit, printed }).toEqual({
      exit: 0,
      printed: {
        type: "tool_result",
        tool_use_id: "1",
        content: [{ type: "text", text: "configured: echo a" }],
        is_error: false,
      },
    });
    const run = await toolcall(["Bash", "command=echo built-in", "--allow-run=bash"], { cwd });
    expect(run.stdout).toContain("built-in");
    const check = await toolcall(["config", "check"], { cwd });
    expect({ code: check.code, said: check.stdout }).toEqual({ code: 0, said: check.stdout });
    const list = await toolcall(["list", "--format=anthropic", "--vendor"], { cwd });
    expect(list.stdout).not.toContain("bash_20250124");
  },
});
