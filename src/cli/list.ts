import { toMcp } from "../registry/definitions.ts";
import { Registry, type ToolMetadata } from "../registry/registry.ts";
import { type Command, refuseOperands, unknownFormat } from "./command.ts";
import { writeAll } from "./streams.ts";

/** `toolcall list`: the catalogue, as a table or for programs. */
export const listCommand: Command = async (line, operands, process) => {
  refuseOperands(operands, 0);
  const tools = await new Registry(process.entries).list();
  await writeAll(process.stdout, renderTools(tools, line.options.get("format")));
  return 0;
};

function renderTools(tools: ToolMetadata[], format = "text"): string {
  if (format === "text") return table(tools);
  if (format === "json") return `${JSON.stringify(tools)}\n`;
  if (format === "mcp") {
    return `${JSON.stringify({ tools: tools.map(toMcp) })}\n`;
  }
  throw unknownFormat(format, ["text", "json", "mcp"]);
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
