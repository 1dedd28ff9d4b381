/** The loops of docs/vendor_tools.md, as the page shows them, against a server that checks requests. */
// tier: machine
import { expect } from "@std/expect";
import { fileURLToPath } from "node:url";
import { installPackages } from "../../scripts/bench/npm_packages.ts";
import { executable, temporaryDirectory } from "../support/executable.ts";
import { has } from "../support/programs.ts";
import { installPython } from "../support/python_packages.ts";
import { type Play, vendorApis } from "../support/vendor_apis.ts";
import { hasVendorTools } from "../support/vendor_catalogue.ts";

const page = Deno.readTextFileSync(
  fileURLToPath(new URL("../../docs/vendor_tools.md", import.meta.url)),
);

/** The packages of the loops. */
const NPM = ["openai@7.57.0", "@anthropic-ai/sdk@1.14.0"];
const DAY = "2026-11-24";

/** The code of a loop, by the heading above it. */
function loop(heading: string): string {
  const found = new RegExp(`^### ${heading}\n+\`\`\`\\w+\n([^]*?)^\`\`\``, "m").exec(page);
  return found![1]!;
}

const LOOPS = [
  "Anthropic, Python",
  "Anthropic, TypeScript",
  "OpenAI, Python",
  "OpenAI, TypeScript",
];

Deno.test("vendor tools > each loop of the page has at most 15 lines", () => {
  for (const heading of LOOPS) {
    const lines = loop(heading).split("\n").filter((line) => line.trim() !== "");
    expect({ heading, isShort: lines.length <= 15 }).toEqual({ heading, isShort: true });
  }
});

/** The conversation with Anthropic's model in the working directory `cwd`. */
function anthropicPlay(cwd: string): Play {
  const path = `${cwd}/notes.txt`;
  const edit = "str_replace_based_edit_tool";
  return {
    tools: [
      { type: "bash_20250124", name: "bash" },
      { type: "text_editor_20250728", name: edit },
      { type: "memory_20250818", name: "memory" },
    ],
    calls: [
      { call: { name: "bash", input: { command: "x=kept; cd /" } }, expected: "" },
      { call: { name: "bash", input: { command: 'pwd; echo "$x"' } }, expected: "/\\nkept" },
      { call: { name: "bash", input: { restart: true } }, expected: "restarted" },
      {
        call: { name: edit, input: { command: "create", path, file_text: "one\ntwo\n" } },
        expected: "notes.txt",
      },
      {
        call: { name: edit, input: { command: "str_replace", path, old_str: "one", new_str: "1" } },
        expected: "notes.txt",
      },
      { call: { name: edit, input: { command: "view", path } }, expected: "two" },
      {
        call: {
          name: "memory",
          input: { command: "create", path: "/memories/a.txt", file_text: "tea\n" },
        },
        expected: "/memories/a.txt",
      },
    ],
  };
}

const openaiPlay: Play = {
  tools: [{ type: "shell", environment: { type: "local" } }, { type: "apply_patch" }],
  calls: [
    {
      call: {
        type: "shell_call",
        environment: { type: "local" },
        action: { commands: ["echo out", "echo err >&2; exit 3"], timeout_ms: 60_000 },
      },
      expected: '"exit_code":3',
    },
    {
      call: {
        type: "apply_patch_call",
        operation: { type: "create_file", path: "new.txt", diff: "+one\n+two\n" },
      },
      expected: "new.txt",
    },
    {
      call: {
        type: "apply_patch_call",
        operation: { type: "update_file", path: "new.txt", diff: "@@\n one\n-two\n+2\n" },
      },
      expected: "new.txt",
    },
    {
      call: {
        type: "custom_tool_call",
        name: "apply_patch",
        input: "*** Begin Patch\n*** Update File: new.txt\n@@\n-one\n+1\n*** End Patch\n",
      },
      expected: "new.txt",
    },
    {
      call: {
        type: "local_shell_call",
        action: { type: "exec", command: ["bash", "-c", "echo $(<new.txt)"], env: {} },
      },
      expected: "1 2",
    },
  ],
};

/** Prints the reason why a part of a test is skipped. */
function skip(what: string, error: unknown): void {
  // deno-lint-ignore no-console -- The reason why a test is skipped has to be seen.
  console.log(`skipped: ${what}: ${(error as Error).message}`);
}

for (const heading of LOOPS) {
  Deno.test({
    name: `vendor tools > the loop for ${heading} runs with the vendor's package`,
    ignore: Deno.build.os === "windows",
    fn: async () => {
      if (!await hasVendorTools()) return;
      const isPython = heading.endsWith("Python");
      using directory = temporaryDirectory();
      const base = Deno.realPathSync(directory.path);
      const project = `${base}/project`;
      Deno.mkdirSync(`${project}/memories`, { recursive: true });
      let command: string[];
      try {
        command = isPython ? await pythonCommand(base, heading) : await denoCommand(base, heading);
      } catch (error) {
        return skip(heading, error);
      }
      Deno.mkdirSync(`${base}/bin`);
      Deno.symlinkSync(executable, `${base}/bin/toolcall`);
      await using apis = vendorApis({ anthropic: anthropicPlay(project), responses: openaiPlay });
      const child = new Deno.Command(command[0]!, {
        args: [...command.slice(1), "What do my notes say?"],
        ...{ cwd: project, stdin: "piped", stdout: "piped", stderr: "piped" },
        env: {
          ...{ MODEL: "model-1", PATH: `${base}/bin:${Deno.env.get("PATH")}` },
          ...{ XDG_STATE_HOME: `${base}/state`, OPENAI_API_KEY: "key", ANTHROPIC_API_KEY: "key" },
          ...{ OPENAI_BASE_URL: `${apis.origin}/v1`, ANTHROPIC_BASE_URL: apis.origin },
        },
      }).spawn();
      const writer = child.stdin.getWriter();
      await writer.write(new TextEncoder().encode("What do my notes say?\n"));
      await writer.close();
      const { stdout, stderr } = await child.output();
      const [text, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
      const isDone = text!.includes("It is done.");
      expect({ isDone, refusals: apis.refusals, errors: isDone ? "" : errors })
        .toEqual({ isDone: true, refusals: [], errors: "" });
      const [file, content] = heading.startsWith("OpenAI")
        ? ["new.txt", "1\n2\n"]
        : ["notes.txt", "1\ntwo\n"];
      expect(Deno.readTextFileSync(`${project}/${file}`)).toBe(content);
    },
  });
}

/** The part of Node's types that the loops use. Their package is not installed. */
const NODE = `
declare function spawnSync(
  program: string,
  args: string[],
  options: { input: string | undefined; encoding: "utf8" },
): { stdout: string };
declare const process: { env: Record<string, string | undefined>; argv: string[] };`;

/** Writes a loop in TypeScript beside the packages, checks its types, and returns how to run it. */
async function denoCommand(base: string, heading: string): Promise<string[]> {
  const modules = await installPackages(NPM, DAY);
  Deno.symlinkSync(modules, `${base}/node_modules`);
  Deno.copyFileSync(`${modules}/../package.json`, `${base}/package.json`);
  const code = loop(heading);
  Deno.writeTextFileSync(`${base}/loop.ts`, code);
  Deno.writeTextFileSync(`${base}/typed.ts`, code.replace(/^import .*"node:.*$/m, NODE));
  const flags = ["--quiet", "--no-config", "--no-lock", "--node-modules-dir=manual"];
  const { code: exit, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["check", ...flags, "typed.ts"],
    ...{ cwd: base, env: { NO_COLOR: "1" }, stdin: "null" },
  }).output();
  expect({ exit, errors: new TextDecoder().decode(stderr) }).toEqual({ exit: 0, errors: "" });
  return [Deno.execPath(), "run", "--no-check", "-A", ...flags, `${base}/loop.ts`];
}

/** Writes a loop in Python, and returns how to run it with the packages. */
async function pythonCommand(base: string, heading: string): Promise<string[]> {
  if (!has("python3")) throw new Error("python3 is not installed");
  const packages = await installPython(["openai", "anthropic"]);
  Deno.writeTextFileSync(`${base}/loop.py`, loop(heading));
  return ["env", `PYTHONPATH=${packages}`, "python3", `${base}/loop.py`];
}
