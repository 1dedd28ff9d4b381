/**
 * Watches `tools/`. When a tool is saved, it runs `deno task generate`, which checks the types, and
 * then the examples of the tool, from the sources.
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "@std/cli/parse-args";
import { fixtures, startSite } from "../tests/support/example_world.ts";
import type { Example } from "../src/runner/registry/define.ts";
import type { ToolMetadata } from "../src/runner/registry/registered_tool.ts";

const HELP = `Usage: deno task dev

Watches tools/. When you save a tool, its generated files are written, its types are checked, and
its examples run. End it with Ctrl-C.`;

/** Editors save a file in several steps, which end within this time, in milliseconds. */
const SETTLE_MS = 150;

const root = fileURLToPath(new URL("../", import.meta.url));

if (parseArgs(Deno.args, { boolean: ["help"], alias: { help: "h" } })["help"]) {
  say(HELP);
  Deno.exit(0);
}
const watcher = Deno.watchFs(`${root}tools`, { recursive: false });
const seen = texts();
await generate();
say("Watching tools/; save a tool to run its examples");
for await (const _ of watcher) {
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  await update();
}

/** Generates, and runs the examples of each tool whose source has changed since the last time. */
async function update(): Promise<void> {
  const now = texts();
  const changed = [...now].filter(([file, text]) => seen.get(file) !== text);
  const isRemoved = [...seen.keys()].some((file) => !now.has(file));
  if (changed.length === 0 && !isRemoved) return;
  seen.clear();
  for (const [file, text] of now) seen.set(file, text);
  if (!await generate()) return;
  for (const [file] of changed) await runExamples(file);
}

/** The sources of the tools by their file names. */
function texts(): Map<string, string> {
  const found = [...Deno.readDirSync(`${root}tools`)]
    .filter(({ name, isFile }) => isFile && name.endsWith(".ts"))
    .map(({ name }) => [name, Deno.readTextFileSync(`${root}tools/${name}`)] as const);
  return new Map(found);
}

async function generate(): Promise<boolean> {
  const args = ["run", "-A", `${root}scripts/generate.ts`];
  const { success } = await new Deno.Command(Deno.execPath(), { args, stdin: "null" }).spawn()
    .status;
  return success;
}

async function runExamples(file: string): Promise<void> {
  const text = Deno.readTextFileSync(`${root}tools/_generated/${file}`);
  const [, json] = /metadata: ToolMetadata = ([^]*?\n\});/.exec(text)!;
  const tool: ToolMetadata = JSON.parse(json!);
  const count = { passed: 0, failed: 0 };
  for (const example of tool.examples) {
    const printed = await runExample(tool, example);
    count[printed === undefined ? "passed" : "failed"]++;
    const { description, expect } = example;
    say(`${printed === undefined ? "ok  " : "FAIL"} ${tool.name}: ${description}`);
    if (printed !== undefined) say(`     expected ${JSON.stringify(expect)} in\n     ${printed}`);
  }
  say(`${tool.name}: ${count.passed} examples passed, ${count.failed} failed`);
}

/** Runs an example from the sources. Returns its output if that is not as expected. */
async function runExample(tool: ToolMetadata, example: Example): Promise<string | undefined> {
  using directory = fixtures(tool);
  await using site = startSite();
  const fill = (text: string) =>
    text.replaceAll("$ROOT", directory.path).replaceAll("$SERVER", site.host);
  const net = tool.permissionKinds.includes("net") ? [`--allow-net=${site.host}`] : [];
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "--quiet", `${root}main.ts`, "-A", ...net, "--format=mcp"],
      ...["call", tool.name, fill(JSON.stringify(example.input))],
    ],
    cwd: directory.path,
    stdin: "null",
  }).output();
  // The tool prints to stderr.
  Deno.stderr.writeSync(stderr);
  const printed = new TextDecoder().decode(stdout);
  const { content = [], isError } = parsed(printed);
  const text = content.map((block) => block.text ?? block.type).join("\n");
  const isAsExpected = text.includes(fill(example.expect)) &&
    isError === (example.isError ?? false);
  return isAsExpected ? undefined : printed.trimEnd();
}

function parsed(text: string): {
  content?: { type: string; text?: string }[];
  isError?: boolean;
} {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function say(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}
