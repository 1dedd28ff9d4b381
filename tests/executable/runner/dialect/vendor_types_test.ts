/**
 * The tools that vendors define, with the types of the vendors' newest packages. The compiler
 * checks each form of a call, and the answer that the executable prints.
 */
// tier: machine
import { expect } from "@std/expect";
import { installPackages } from "../../../../scripts/bench/npm_packages.ts";
import { temporaryDirectory, toolcall } from "../../../support/executable.ts";
import { hasVendorTools } from "../../../support/vendor_catalogue.ts";
import { answer } from "./message.ts";

/** The packages in their newest versions, and the last day of the versions that they depend on. */
const PACKAGES = ["openai@7.57.0", "@anthropic-ai/sdk@1.14.0"] as const;
const DAY = "2026-11-24";

const IMPORTS = `import type OpenAI from "openai";
import type Anthropic from "@anthropic-ai/sdk";
import type { BetaMemoryTool20250818Command } from "@anthropic-ai/sdk/resources/beta/messages";
type Responses = OpenAI.Responses.Response;
`;

/** A form of a call, its type, and the type of its answer. */
interface Form {
  name: string;
  given: string;
  value: unknown;
  answered: string;
  /** A part of the answer. */
  contains: string;
}

const shell = {
  ...{ type: "shell_call", id: "sh_1", call_id: "c1", status: "in_progress" },
  environment: { type: "local" },
  action: { commands: ["echo one", "exit 2"], timeout_ms: 60_000, max_output_length: 1_000 },
};
const localShell = {
  ...{ type: "local_shell_call", id: "lsh_1", call_id: "c2", status: "completed" },
  action: {
    ...{ type: "exec", command: ["bash", "-c", "echo two"], env: {} },
    ...{ timeout_ms: null, user: null, working_directory: null },
  },
};
const patch = (operation: unknown) => ({
  ...{ type: "apply_patch_call", id: "apc_1", call_id: "c3", status: "completed", operation },
});
const created = patch({ type: "create_file", path: "new.txt", diff: "+first\n+second\n" });
const freeform = {
  ...{ type: "custom_tool_call", id: "ctc_1", call_id: "c4", name: "apply_patch" },
  input: "*** Begin Patch\n*** Add File: free.txt\n+free\n*** End Patch\n",
};
const approval = {
  ...{ type: "mcp_approval_request", id: "mcpr_1", arguments: "{}", name: "drop" },
  server_label: "database",
};

const inputs = "OpenAI.Responses.ResponseInputItem";
const patchOutput = `${inputs}.ApplyPatchCallOutput`;
const patchCall = "OpenAI.Responses.ResponseApplyPatchToolCall";

const openai: readonly Form[] = [
  {
    name: "shell_call",
    given: "OpenAI.Responses.ResponseFunctionShellToolCall",
    value: shell,
    answered: `${inputs}.ShellCallOutput`,
    contains: '"exit_code":2',
  },
  {
    name: "shell_call of a request",
    given: `${inputs}.ShellCall`,
    value: {
      type: "shell_call",
      call_id: "c1",
      action: { commands: ["echo one"] },
      caller: { type: "program", caller_id: "p" },
    },
    answered: `${inputs}.ShellCallOutput`,
    contains: '"caller_id":"p"',
  },
  {
    name: "shell_call that is refused",
    given: "OpenAI.Responses.ResponseFunctionShellToolCall",
    value: { ...shell, action: { commands: [], timeout_ms: null, max_output_length: null } },
    answered: `${inputs}.ShellCallOutput`,
    contains: "/commands",
  },
  {
    name: "local_shell_call",
    given: "OpenAI.Responses.ResponseOutputItem.LocalShellCall",
    value: localShell,
    answered: `${inputs}.LocalShellCallOutput`,
    contains: "two",
  },
  {
    name: "create_file",
    given: patchCall,
    value: created,
    answered: patchOutput,
    contains: '"status":"completed"',
  },
  {
    name: "update_file",
    given: patchCall,
    value: patch({ type: "update_file", path: "new.txt", diff: "@@\n-first\n+changed\n second\n" }),
    answered: patchOutput,
    contains: '"status":"completed"',
  },
  {
    name: "update_file that fails",
    given: patchCall,
    value: patch({ type: "update_file", path: "new.txt", diff: "@@\n-first\n+again\n" }),
    answered: patchOutput,
    contains: '"status":"failed"',
  },
  {
    name: "delete_file",
    given: patchCall,
    value: patch({ type: "delete_file", path: "new.txt" }),
    answered: patchOutput,
    contains: '"status":"completed"',
  },
  {
    name: "custom_tool_call",
    given: "OpenAI.Responses.ResponseCustomToolCall",
    value: freeform,
    answered: "OpenAI.Responses.ResponseCustomToolCallOutput",
    contains: "free.txt",
  },
  {
    name: "mcp_approval_request",
    given: "OpenAI.Responses.ResponseOutputItem.McpApprovalRequest",
    value: approval,
    answered: "OpenAI.Responses.EasyInputMessage",
    contains: "waits for a user",
  },
  {
    name: "a list of items",
    given: "OpenAI.Responses.ResponseOutputItem[]",
    value: [shell, localShell],
    answered: `${inputs}[]`,
    contains: "local_shell_call_output",
  },
  {
    name: "a response",
    given: 'Pick<Responses, "object" | "output">',
    value: { object: "response", output: [shell, approval, localShell, created, freeform] },
    answered: "OpenAI.Responses.ResponseInput",
    contains: "apply_patch_call_output",
  },
];

const use = (name: string, input: unknown) => ({ type: "tool_use", id: "t1", name, input });
const block = "Anthropic.ToolUseBlockParam";
const result = "Anthropic.ToolResultBlockParam";

/** Calls of Anthropic's tools, each with a part of its answer. They run one after the other. */
const uses: readonly [name: string, input: Record<string, unknown>, contains: string][] = [
  ["bash", { command: "cd /; x=kept; echo one" }, "one"],
  ["bash", { command: 'pwd; echo "$x"' }, "/\\nkept"],
  ["bash", { restart: true }, "restarted"],
  [
    "str_replace_based_edit_tool",
    { command: "create", path: "$DIR/e.txt", file_text: "a\nb\n" },
    "e.txt",
  ],
  ["str_replace_based_edit_tool", { command: "view", path: "$DIR/e.txt", view_range: [1, 2] }, "b"],
  ["str_replace_based_edit_tool", { command: "view", path: "$DIR" }, "e.txt"],
  [
    "str_replace_based_edit_tool",
    { command: "str_replace", path: "$DIR/e.txt", old_str: "a", new_str: "c" },
    "e.txt",
  ],
  [
    "str_replace_based_edit_tool",
    { command: "insert", path: "$DIR/e.txt", insert_line: 0, insert_text: "top\n" },
    "e.txt",
  ],
  ["str_replace_editor", { command: "view", path: "$DIR/e.txt" }, "top"],
  ["str_replace_editor", { command: "undo_edit", path: "$DIR/e.txt" }, "e.txt"],
  ["memory", { command: "create", path: "/memories/n.txt", file_text: "note\n" }, "n.txt"],
  ["memory", { command: "view", path: "/memories" }, "n.txt"],
  [
    "memory",
    { command: "str_replace", path: "/memories/n.txt", old_str: "note", new_str: "tea" },
    "tea",
  ],
  [
    "memory",
    { command: "insert", path: "/memories/n.txt", insert_line: 0, insert_text: "top\n" },
    "n.txt",
  ],
  [
    "memory",
    { command: "rename", old_path: "/memories/n.txt", new_path: "/memories/m.txt" },
    "m.txt",
  ],
  ["memory", { command: "delete", path: "/memories/m.txt" }, "m.txt"],
];

Deno.test({
  name: "vendor tools > calls and answers have the vendors' newest types",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    if (!await hasVendorTools()) return;
    using directory = temporaryDirectory();
    const [cwd, types] = [`${directory.path}/files`, `${directory.path}/types`];
    for (const each of [cwd, types, `${directory.path}/memories`]) Deno.mkdirSync(each);
    const lines: string[] = [];
    const add = (type: string, value: unknown) =>
      lines.push(`export const value${lines.length}: ${type} = ${JSON.stringify(value)};`);
    const flags = [
      ...[`--state-dir=${directory.path}/state`, `--memory-dir=${directory.path}/memories`],
      ...["--allow-run=bash", `--allow-read=${directory.path}`, `--allow-write=${directory.path}`],
      "--format=same",
    ];
    const wrong: string[] = [];
    const run = async (given: unknown, contains: string) => {
      const { printed } = await answer(given, { flags, cwd });
      const text = JSON.stringify(printed);
      if (!text.includes(contains)) wrong.push(`${JSON.stringify(given)} > ${text}`);
      return printed;
    };
    for (const { given, value, answered, contains } of openai) {
      add(given, value);
      add(answered, await run(value, contains));
    }
    for (const [name, input, contains] of uses) {
      const value = use(name, JSON.parse(JSON.stringify(input).replaceAll("$DIR", cwd)));
      add(block, value);
      if (name === "memory") add("BetaMemoryTool20250818Command", value.input);
      add(result, await run(value, contains));
    }
    const message = { role: "assistant", content: [use("bash", { command: "echo three" })] };
    add("Anthropic.MessageParam", message);
    add("Anthropic.MessageParam", await run(message, "three"));
    expect(wrong).toEqual([]);
    for (
      const [format, type] of [
        ["responses", "OpenAI.Responses.Tool[]"],
        ["anthropic", "Anthropic.ToolUnion[]"],
      ] as const
    ) {
      const { stdout } = await toolcall(["list", `--format=${format}`, "--vendor"]);
      expect(JSON.parse(stdout).length).toBeGreaterThan(1);
      add(type, JSON.parse(stdout));
    }
    await endShells(flags, cwd);
    let modules: string;
    try {
      modules = await installPackages(PACKAGES, DAY);
    } catch (error) {
      // deno-lint-ignore no-console -- The user must see why a test is skipped.
      return console.log(`skipped: the types of the packages: ${(error as Error).message}`);
    }
    Deno.symlinkSync(modules, `${types}/node_modules`);
    Deno.copyFileSync(`${modules}/../package.json`, `${types}/package.json`);
    const check = async (text: string) => {
      Deno.writeTextFileSync(`${types}/forms.ts`, `${IMPORTS}${text}\n`);
      const { code, stderr } = await new Deno.Command(Deno.execPath(), {
        args: [
          ...["check", "--quiet", "--no-config", "--no-lock", "--node-modules-dir=manual"],
          "forms.ts",
        ],
        ...{ cwd: types, env: { NO_COLOR: "1" }, stdin: "null" },
      }).output();
      return { code, errors: new TextDecoder().decode(stderr).trim().slice(0, 3_000) };
    };
    expect(await check(lines.join("\n"))).toEqual({ code: 0, errors: "" });
    const bad = { type: "shell_call_output", call_id: "c", output: [{ stdout: "a", stderr: "" }] };
    const found = await check(`export const bad: ${inputs} = ${JSON.stringify(bad)};`);
    expect(found.errors).toContain("outcome");
  },
});

/** Ends the shells of the sessions, so that none runs after the test. */
async function endShells(flags: readonly string[], cwd: string): Promise<void> {
  await answer(use("bash", { restart: true }), { flags: [...flags], cwd });
}
