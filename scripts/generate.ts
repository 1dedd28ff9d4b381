/**
 * Writes `tools/_generated/` from `tools/*.ts`: for each tool a registry entry, and a validator of
 * its arguments that imports nothing. Writes `src/runner/config/_generated/` from
 * `toolcall.schema.json`: such a validator. Prints which tools are new, changed or removed. Fails
 * for a tool with a type error. With `--check` it writes nothing, and fails when a directory differs
 * from what it would write.
 */
import { fileURLToPath } from "node:url";
import { emptyDirSync } from "@std/fs/empty-dir";
import { parseArgs } from "@std/cli/parse-args";
import type { ToolDefinition } from "../src/runner/registry/define.ts";
import { metadataOf } from "../src/runner/registry/registered_tool.ts";
import { checkTool, compileSchema } from "./check_tool.ts";
import { indexModule } from "./tool_index.ts";
import { validatorModules } from "./validator_modules.ts";

const HELP = `Usage: deno task generate [--check] [--tools=DIRECTORY]

Checks the types of the tools, and writes the generated files after a change in tools/ or in
toolcall.schema.json.

  --check  write nothing, and fail where a file differs (types are not checked)
  --tools  where the tools are (default: tools)`;

const root = new URL("../", import.meta.url);
const flags = parseArgs(Deno.args, {
  boolean: ["check", "help"],
  string: ["tools"],
  alias: { help: "h" },
});
if (flags.help) {
  say(HELP);
  Deno.exit(0);
}
const toolsDirectory = new URL(`${flags["tools"] ?? "tools"}/`, root);
const generatedDirectory = new URL("_generated/", toolsDirectory);
const depth = generatedDirectory.href.slice(root.href.length).split("/").length - 1;
/** The path from a generated module to the project's directory. */
const toRoot = "../".repeat(depth);

const files = [...Deno.readDirSync(toolsDirectory)]
  .filter((entry) => entry.isFile && entry.name.endsWith(".ts"))
  .map((entry) => entry.name.slice(0, -".ts".length))
  .sort();
const tools = new Map<string, ToolDefinition>();
for (const file of files) tools.set(file, await readTool(file));
refuseSharedNames(tools);
if (!flags["check"]) await checkTypes();

const wanted = new Map<string, string>();
for (const [file, tool] of tools) {
  wanted.set(`${file}.ts`, entryModule(file, tool));
}
const schemas = new Map(
  [...tools].map(([file, tool]) => [`${file}.validate`, compileSchema(tool.inputSchema)]),
);
for (const [file, code] of await validatorModules(schemas)) {
  wanted.set(`${file}.js`, header(`tools/${file.replace(".validate", "")}.ts`) + code);
}
const rows = [...tools].map(([file, tool]) => ({ ...tool, aliases: tool.aliases ?? [], file }));
wanted.set("index.ts", header("tools/*.ts") + indexModule(rows, toRoot));

const changes = describeChanges();
const directories = new Map([[generatedDirectory, wanted]]);
if (flags["tools"] === undefined) {
  directories.set(new URL("src/runner/config/_generated/", root), await configModules());
}
for (const [directory, modules] of directories) {
  if (flags["check"]) {
    const stale = staleFiles(directory, modules);
    if (stale.length > 0) {
      const path = directory.href.slice(root.href.length);
      fail(`${path} is out of date (${stale.join(", ")}): run "deno task generate"`);
    }
  } else {
    emptyDirSync(directory);
    for (const [name, text] of modules) Deno.writeTextFileSync(new URL(name, directory), text);
  }
}
if (!flags["check"]) say(changes.join("\n") || "No tool is new or changed");

/** A line for each tool that is new, changed or removed since the last run. */
function describeChanges(): string[] {
  const before = (name: string) => {
    try {
      return Deno.readTextFileSync(new URL(name, generatedDirectory));
    } catch {
      return undefined;
    }
  };
  const present = [...tools].flatMap(([file, { name }]) => {
    const modules = [`${file}.ts`, `${file}.validate.js`];
    const isNew = before(modules[0]!) === undefined;
    if (!isNew && modules.every((module) => before(module) === wanted.get(module))) return [];
    const command = `deno task toolcall describe ${name}`;
    return [`${isNew ? "Added" : "Changed"} ${name} (${pathOf(file)}); try: ${command}`];
  });
  const entries = [
    ...(before("index.ts") ?? "").matchAll(/name: "(.+?)".*import\("\.\/(\w+)\.ts"\)/g),
  ];
  const removed = entries.filter(([, , file]) => !tools.has(file!))
    .map(([, name, file]) => `Removed ${name} (${pathOf(file!)})`);
  return [...present, ...removed];
}

/** Prints the type errors in the tools, by file and line, and fails if there are any. */
async function checkTypes(): Promise<void> {
  const paths = files.map((file) => fileURLToPath(new URL(`${file}.ts`, toolsDirectory)));
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["check", "--quiet", ...paths],
    cwd: root,
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  if (success) return;
  const text = new TextDecoder().decode(stderr).replaceAll(root.href, "");
  fail(text.replace(/\s*error: Type checking failed[^]*$/, "").trimEnd());
}

/** The path of a tool's file, from the project's directory. */
function pathOf(file: string): string {
  const { href } = new URL(`${file}.ts`, toolsDirectory);
  return href.startsWith(root.href) ? href.slice(root.href.length) : `tools/${file}.ts`;
}

/** The validator of the configuration. */
async function configModules(): Promise<Map<string, string>> {
  const file = "toolcall.schema.json";
  const schema = JSON.parse(Deno.readTextFileSync(new URL(file, root)));
  const code = compileSchema(schema);
  const name = "toolcall.validate";
  const modules = await validatorModules(new Map([[name, code]]));
  return new Map([[`${name}.js`, header(file) + modules.get(name)!]]);
}

async function readTool(file: string): Promise<ToolDefinition> {
  const module = await importTool(file);
  const faults = checkTool(file, module);
  if (faults.length > 0) {
    fail(faults.map((fault) => `tools/${file}.ts: ${fault}`).join("\n"));
  }
  return module["default"] as ToolDefinition;
}

/** Imports a tool's module. Exits with the place of the fault if it has a syntax error or throws. */
async function importTool(file: string): Promise<Record<string, unknown>> {
  try {
    return await import(new URL(`${file}.ts`, toolsDirectory).href);
  } catch (error) {
    const { message, stack = "" } = error as Error;
    const place = /^ +at .*?(file:.*:\d+:\d+)/m.exec(stack)?.[1];
    const where = message.includes(root.href) || place === undefined ? "" : ` at ${place}`;
    fail(`${pathOf(file)}: cannot be imported: ${message}${where}`.replaceAll(root.href, ""));
  }
}

function refuseSharedNames(all: Map<string, ToolDefinition>): void {
  const seen = new Map<string, string>();
  for (const [file, tool] of all) {
    for (const name of [tool.name, ...tool.aliases ?? []]) {
      const other = seen.get(name);
      if (other !== undefined) {
        fail(
          `tools/${file}.ts: the name ${JSON.stringify(name)} is taken by tools/${other}.ts`,
        );
      }
      seen.set(name, file);
    }
  }
}

function header(source: string): string {
  return `// Written from ${source} by "deno task generate". Do not edit.\n`;
}

function entryModule(file: string, tool: ToolDefinition): string {
  return `${header(`tools/${file}.ts`)}
import type { ToolDefinition } from "${toRoot}src/runner/registry/define.ts";
import type { ToolMetadata } from "${toRoot}src/runner/registry/registered_tool.ts";
import type { Validator } from "${toRoot}src/runner/registry/validator.ts";
import check from "./${file}.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = ${JSON.stringify(metadataOf(tool), null, 2)};

export async function load(): Promise<ToolDefinition> {
  return (await import("../${file}.ts")).default as ToolDefinition;
}
`;
}

function staleFiles(directory: URL, expected: Map<string, string>): string[] {
  const present = [...Deno.readDirSync(directory)].map((entry) => entry.name);
  return [
    ...present.filter((name) => !expected.has(name)),
    ...[...expected].filter(([name, text]) =>
      !present.includes(name) ||
      Deno.readTextFileSync(new URL(name, directory)) !== text
    ).map(([name]) => name),
  ].sort();
}

function say(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

function fail(message: string): never {
  Deno.stderr.writeSync(new TextEncoder().encode(`${message}\n`));
  Deno.exit(1);
}
