import { beside, wrap } from "../ask/wrap.ts";
import { isCallError } from "../call_error.ts";
import { exitCodes } from "../engine/failure.ts";
import { apis, definitionsFor } from "../registry/definitions/export.ts";
import type { Registry } from "../registry/registry.ts";
import type { ToolMetadata } from "../registry/registered_tool.ts";
import { useCatalogue } from "./catalogue.ts";
import { type Command, refuseOperands, unknownFormat } from "./command.ts";
import { findTool } from "./find_tool.ts";
import { writeAll } from "./streams.ts";
import { UsageError } from "./usage_error.ts";

/** How wide the text for people is, in columns. */
const WIDTH = 100;

/** `toolcall describe NAME`: one tool, for people or for programs. */
export const describeCommand: Command = async (line, operands, process) => {
  refuseOperands(operands, 1);
  const [name] = operands;
  if (name === undefined) {
    throw new UsageError("The tool's name is missing: toolcall describe NAME");
  }
  const format = line.options.get("format") ?? "text";
  const described = (registry: Registry) => describe(registry, { name, format });
  try {
    const text = await useCatalogue({ line, tool: name }, process, described);
    await writeAll(process.stdout, text);
    return 0;
  } catch (error) {
    if (!isCallError(error)) throw error;
    await writeAll(process.stderr, `toolcall: ${error.message}\n`);
    return exitCodes[error.code];
  }
};

async function describe(
  registry: Registry,
  { name, format }: { name: string; format: string },
): Promise<string> {
  const tool = await findTool(registry, name);
  const api = apis.find((each) => each === format);
  if (api === undefined) return renderTool(tool, format);
  const names = new Map([...registry.apiNames()].map(([name, tool]) => [tool.name, name]));
  const [definition] = definitionsFor(api, [tool], names);
  return `${JSON.stringify(definition!.value)}\n`;
}

function renderTool(tool: ToolMetadata, format: string): string {
  if (format === "json") return `${JSON.stringify(tool)}\n`;
  if (format !== "text") throw unknownFormat(format, ["text", "json", ...apis]);
  const { name, aliases, title, description, usageHint, permissionKinds } = tool;
  const facts = [
    ["Category", tool.category],
    ["Effect", tool.sideEffect],
    ["Optionality", tool.optionality],
    [
      "Permissions",
      permissionKinds.map((kind) => `--allow-${kind}`).join(", ") || "none",
    ],
    ["Requires", tool.requires.join(", ")],
    ["Aliases", aliases.join(", ")],
  ].filter(([, value]) => value !== "");
  return [
    `${name}: ${title}`,
    ...(description === undefined ? [] : wrap(description, WIDTH)),
    ...wrap(`When to use: ${usageHint}`, WIDTH),
    "",
    ...facts.map(([key, value]) => `${`${key}:`.padEnd(13)}${value}`),
    "",
    "Arguments:",
    ...argumentLines(tool.inputSchema),
    ...(tool.examples.length === 0 ? [] : ["", "Examples:"]),
    ...tool.examples.flatMap((each) => [
      `  ${each.description}:`,
      `    toolcall ${name} '${shown(each.input)}'`,
    ]),
  ].join("\n") + "\n";
}

/** The arguments of an example for a shell, with names in place of what the tests fill in. */
function shown(input: Record<string, unknown>): string {
  return JSON.stringify(input).replaceAll("$ROOT", "/home/me").replaceAll("$SERVER", "example.com")
    .replaceAll("'", "'\\''");
}

type Schema = Record<string, unknown>;

/** The arguments, and under an argument that holds objects, what those hold. */
function argumentLines(schema: Schema, indent = "  "): string[] {
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, Schema>);
  const required = (schema["required"] ?? []) as string[];
  return properties.flatMap(([key, property]) => [
    `${indent}${key} (${traits(property, required.includes(key))})`,
    ...beside(`${indent}  `, String(property["description"]), { width: WIDTH }),
    ...argumentLines((property["items"] ?? {}) as Schema, `${indent}    `),
  ]);
}

/** Keywords of a schema, and how a person reads them. */
const LIMITS: readonly [keyword: string, words: string][] = [
  ["default", "default"],
  ["minimum", "at least"],
  ["maximum", "at most"],
  ["maxLength", "characters at most"],
  ["minItems", "items at least"],
  ["maxItems", "items at most"],
];

function traits(property: Schema, isRequired: boolean): string {
  return [
    typeOf(property),
    isRequired ? "required" : "optional",
    ...LIMITS.filter(([keyword]) => keyword in property)
      .map(([keyword, words]) => `${words} ${JSON.stringify(property[keyword])}`),
  ].join(", ");
}

function typeOf({ type, enum: values, anyOf }: Schema): string {
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ");
  return Array.isArray(anyOf) ? anyOf.map(typeOf).join(" | ") : String(type);
}
