import { isPattern, namesTool } from "./name_pattern.ts";
import { hint, nearest } from "../../base/text/nearest.ts";
import type { RegistryEntry } from "./registered_tool.ts";
import { quote } from "../../base/text/quote.ts";

/** The start of the names of MCP servers' tools, which are known later. */
const LATER = "mcp__";

/**
 * What is wrong with a name, or pattern of names, that none of the tools has; `undefined` for
 * one that a tool has, or a tool of an MCP server may have.
 */
export function unknownTool(name: string, tools: readonly RegistryEntry[]): string | undefined {
  const [start] = name.split("*") as [string];
  if (start.startsWith(LATER) || isPattern(name) && LATER.startsWith(start)) return undefined;
  if (tools.some((tool) => namesTool(name, tool))) return undefined;
  const known = tools.flatMap((tool) => [tool.name, ...tool.aliases]);
  return `unknown tool ${quote(name)}; ${hint(nearest(name, known), "toolcall list")}`;
}
