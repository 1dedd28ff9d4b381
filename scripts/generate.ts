/**
 * Writes `tools/_generated/` from `tools/*.ts`: a registry entry a tool, and a
 * validator of its arguments that imports nothing; and `src/runner/config/_generated/`: such a
 * validator from `toolcall.schema.json`. With `--check` it writes
 * nothing and fails when a directory differs from what it would write.
 */
import { emptyDirSync } from "@std/fs/empty-dir";
import { parseArgs } from "@std/cli/parse-args";
import type { ToolDefinition } from "../src/runner/registry/define.ts";
import { metadataOf } from "../src/runner/registry/registered_tool.ts";
import { checkTool, compileSchema } from "./check_tool.ts";
import { indexModule } from "./tool_index.ts";
import { validatorModules } from "./validator_modules.ts";

const HELP = `Usage: deno task generate [--check] [--tools=DIRECTORY]

Writes the generated files after a change in tools/ or in toolcall.schema.json.

  --check  write nothing, and fail where a file differs
  --tools  where the tools are (default: tools)`;

const root = new URL("../", import.meta.url);
const flags = parseArgs(Deno.args, {
  boolean: ["check", "help"],
  string: ["tools"],
  alias: { help: "h" },
});
if (flags.help) {
  // deno-lint-ignore no-console
  console.log(HELP);
  Deno.exit(0);
}
const toolsDirectory = new URL(`${flags["tools"] ?? "tools"}/`, root);
const generatedDirectory = new URL("_generated/", toolsDirectory);
const depth = generatedDirectory.href.slice(root.href.length).split("/").length - 1;
/** From a generated module to the project's directory. */
const toRoot = "../".repeat(depth);

const files = [...Deno.readDirSync(toolsDirectory)]
  .filter((entry) => entry.isFile && entry.name.endsWith(".ts"))
  .map((entry) => entry.name.slice(0, -".ts".length))
  .sort();
const tools = new Map<string, ToolDefinition>();
for (const file of files) tools.set(file, await readTool(file));
refuseSharedNames(tools);

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
  const module = await import(new URL(`${file}.ts`, toolsDirectory).href);
  const faults = checkTool(file, module);
  if (faults.length > 0) {
    fail(faults.map((fault) => `tools/${file}.ts: ${fault}`).join("\n"));
  }
  return module.default;
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

function fail(message: string): never {
  Deno.stderr.writeSync(new TextEncoder().encode(`${message}\n`));
  Deno.exit(1);
}
