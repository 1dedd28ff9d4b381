/**
 * Writes `tools/_generated/` from `tools/*.ts`: a registry entry a tool, and a
 * validator of its arguments that imports nothing. With `--check` it writes
 * nothing and fails when the folder differs from what it would write.
 */
import { emptyDirSync } from "@std/fs/empty-dir";
import { parseArgs } from "@std/cli/parse-args";
import type { ToolDefinition } from "../src/registry/define.ts";
import type { ToolMetadata } from "../src/registry/registered_tool.ts";
import { checkTool, compileSchema } from "./check_tool.ts";

const root = new URL("../", import.meta.url);
const flags = parseArgs(Deno.args, { boolean: ["check"], string: ["tools"] });
const toolsFolder = new URL(`${flags["tools"] ?? "tools"}/`, root);
const generatedFolder = new URL("_generated/", toolsFolder);
const depth = generatedFolder.href.slice(root.href.length).split("/").length - 1;
/** From a generated module to the project's folder. */
const toRoot = "../".repeat(depth);

const files = [...Deno.readDirSync(toolsFolder)]
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
for (const [file, code] of await validatorModules(tools)) {
  wanted.set(`${file}.validate.js`, code);
}
wanted.set("index.ts", indexModule(tools));

if (flags["check"]) {
  const stale = staleFiles(wanted);
  if (stale.length > 0) {
    fail(
      `tools/_generated is out of date (${stale.join(", ")}): run "deno task generate"`,
    );
  }
} else {
  emptyDirSync(generatedFolder);
  for (const [name, text] of wanted) {
    Deno.writeTextFileSync(new URL(name, generatedFolder), text);
  }
}

async function readTool(file: string): Promise<ToolDefinition> {
  const module = await import(new URL(`${file}.ts`, toolsFolder).href);
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

function metadataOf(tool: ToolDefinition): ToolMetadata {
  const { permissions, timeoutMs: _timeoutMs, run: _run, outputSchema, ...declared } = tool;
  return {
    ...declared,
    aliases: tool.aliases ?? [],
    requires: tool.requires ?? [],
    inputSchema: tool.inputSchema as Record<string, unknown>,
    ...(outputSchema !== undefined && { outputSchema: outputSchema as Record<string, unknown> }),
    permissionKinds: permissions.kinds,
  };
}

function header(source: string): string {
  return `// Written from ${source} by "deno task generate". Do not edit.\n`;
}

function entryModule(file: string, tool: ToolDefinition): string {
  return `${header(`tools/${file}.ts`)}
import type { ToolDefinition } from "${toRoot}src/registry/define.ts";
import type { ToolMetadata } from "${toRoot}src/registry/registered_tool.ts";
import type { Validator } from "${toRoot}src/registry/validator.ts";
import check from "./${file}.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = ${JSON.stringify(metadataOf(tool), null, 2)};

export async function load(): Promise<ToolDefinition> {
  return (await import("../${file}.ts")).default as ToolDefinition;
}
`;
}

function indexModule(all: Map<string, ToolDefinition>): string {
  const lines = [...all].map(([file, tool]) =>
    [
      `  { name: ${JSON.stringify(tool.name)}, aliases: ${JSON.stringify(tool.aliases ?? [])},`,
      `sideEffect: ${JSON.stringify(tool.sideEffect)},`,
      ...(tool.requires === undefined ? [] : [`requires: ${JSON.stringify(tool.requires)},`]),
      `load: () => import("./${file}.ts") },`,
    ].join(" ")
  );
  return `${header("tools/*.ts")}
import type { RegistryEntry } from "${toRoot}src/registry/registered_tool.ts";

export const entries: readonly RegistryEntry[] = [
${lines.join("\n")}
];
`;
}

/** Bundles each validator with the parts of ajv that it calls. */
async function validatorModules(
  all: Map<string, ToolDefinition>,
): Promise<Map<string, string>> {
  const folder = Deno.makeTempDirSync({ prefix: "toolcall-generate-" });
  try {
    // Beside the project's own configuration, so that `ajv` means its pinned version.
    const sources = `${folder}/in`;
    Deno.mkdirSync(sources);
    for (const [file, tool] of all) {
      Deno.writeTextFileSync(
        `${sources}/${file}.js`,
        compileSchema(tool.inputSchema),
      );
    }
    const result = await new Deno.Command(Deno.execPath(), {
      args: [
        ...[
          "bundle",
          "--quiet",
          "--platform",
          "deno",
          "--minify",
          "--outdir",
          `${folder}/out`,
        ],
        ...["--config", new URL("deno.json", root).pathname],
        ...[...all.keys()].map((file) => `${sources}/${file}.js`),
      ],
      stderr: "piped",
    }).output();
    if (!result.success) {
      fail(`Cannot bundle:\n${new TextDecoder().decode(result.stderr)}`);
    }
    return new Map([...all.keys()].map((file) => [
      file,
      header(`tools/${file}.ts`) +
      Deno.readTextFileSync(`${folder}/out/${file}.js`),
    ]));
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

function staleFiles(expected: Map<string, string>): string[] {
  const present = [...Deno.readDirSync(generatedFolder)].map((entry) => entry.name);
  return [
    ...present.filter((name) => !expected.has(name)),
    ...[...expected].filter(([name, text]) =>
      !present.includes(name) ||
      Deno.readTextFileSync(new URL(name, generatedFolder)) !== text
    ).map(([name]) => name),
  ].sort();
}

function fail(message: string): never {
  Deno.stderr.writeSync(new TextEncoder().encode(`${message}\n`));
  Deno.exit(1);
}
