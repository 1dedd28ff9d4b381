import { apis, definitionsFor, listed } from "../registry/definitions/export.ts";
import { type Finding, lint } from "../registry/definitions/lint.ts";
import { categories } from "../registry/define.ts";
import type { Registry } from "../registry/registry.ts";
import type { ToolMetadata } from "../registry/registered_tool.ts";
import { quote } from "../quote.ts";
import { useCatalogue } from "./catalogue.ts";
import { type Command, unknownFormat } from "./command.ts";
import { findTool } from "./find_tool.ts";
import type { CommandLine } from "./parse.ts";
import { writeAll } from "./streams.ts";
import { UsageError } from "./usage_error.ts";

/** `toolcall list [NAME…]`: the catalogue, or part of it, as a table or for programs. */
export const listCommand: Command = async (line, operands, process) => {
  const { tools, names } = await useCatalogue({ line }, process, async (registry) => ({
    tools: await chosen(registry, operands, line),
    names: new Map([...registry.apiNames()].map(([name, tool]) => [tool.name, name])),
  }));
  const format = line.options.get("format") ?? "text";
  if (!line.options.has("lint")) {
    await writeAll(process.stdout, renderTools(tools, { format, names }));
    return 0;
  }
  const findings = lint(tools, names);
  await writeAll(process.stdout, renderFindings(findings, format));
  return findings.length === 0 ? 0 : 1;
};

async function chosen(
  registry: Registry,
  names: readonly string[],
  { options }: CommandLine,
): Promise<ToolMetadata[]> {
  const given = options.get("category");
  const category = categories.find((each) => each === given);
  if (given !== undefined && category === undefined) {
    throw new UsageError(`Unknown category ${quote(given)}; known are ${categories.join(", ")}`);
  }
  const found = await Promise.all(names.map((name) => findTool(registry, name)));
  // Each tool is listed once, by however many of its names.
  const named = names.length === 0 ? await registry.list() : [...new Set(found)];
  const hidden = named.find(({ description }) => description === undefined);
  if (hidden !== undefined) {
    throw new UsageError(
      `The tool ${
        quote(hidden.name)
      } has no description, so it is in no list; see "toolcall describe"`,
    );
  }
  return category === undefined ? named : named.filter((tool) => tool.category === category);
}

function renderTools(
  tools: ToolMetadata[],
  { format, names }: { format: string; names: ReadonlyMap<string, string> },
): string {
  if (format === "text") return table(tools);
  if (format === "json") return `${JSON.stringify(tools)}\n`;
  const api = apis.find((each) => each === format);
  if (api === undefined) throw unknownFormat(format, ["text", "json", ...apis]);
  return `${JSON.stringify(listed(api, definitionsFor(api, tools, names)))}\n`;
}

function renderFindings(findings: readonly Finding[], format: string): string {
  if (format === "json") return `${JSON.stringify(findings)}\n`;
  if (format !== "text") throw unknownFormat(format, ["text", "json"]);
  return findings.map(({ api, tool, problem }) =>
    `${api}: ${tool === "" ? "" : `${tool}: `}${problem}\n`
  ).join("");
}

function table(tools: ToolMetadata[]): string {
  const rows = [
    ["NAME", "CATEGORY", "EFFECT", "TITLE"],
    ...tools.map((
      { name, category, sideEffect, title },
    ) => [name, category, sideEffect, title]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ") +
      "\n"
    )
    .join("");
}
