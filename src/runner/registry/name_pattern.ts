import type { ToolNames } from "./api_names.ts";
import { hint, nearest } from "../../base/text/nearest.ts";
import type { RegistryEntry } from "./registered_tool.ts";
import { quote } from "../../base/text/quote.ts";

/**
 * Whether `pattern` names the tool: it is its name or an alias, or, with `*` for any
 * characters, fits its name. Letter case counts.
 */
export function namesTool(pattern: string, { name, aliases }: ToolNames): boolean {
  if (!isPattern(pattern)) return pattern === name || aliases.includes(pattern);
  const [start, ...parts] = pattern.split("*") as [string, ...string[]];
  const end = parts.pop()!;
  if (!name.startsWith(start) || !name.endsWith(end)) return false;
  // Each part where it is first found: a regular expression could try its stars without end.
  let at = start.length;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= name.length - end.length;
}

/** Whether it stands for more than one name. */
export function isPattern(name: string): boolean {
  return name.includes("*");
}

/** The start of the names of MCP servers' tools, which are known later. */
const LATER = "mcp__";

/**
 * What is wrong with a name, or pattern of names, that none of the tools has; `undefined` for
 * one that a tool has, or a tool of an MCP server may have.
 */
export function toolNameFault(name: string, tools: readonly RegistryEntry[]): string | undefined {
  const [start] = name.split("*") as [string];
  if (start.startsWith(LATER) || isPattern(name) && LATER.startsWith(start)) return undefined;
  if (tools.some((tool) => namesTool(name, tool))) return undefined;
  const known = tools.flatMap((tool) => [tool.name, ...tool.aliases]);
  return `unknown tool ${quote(name)}; ${hint(nearest(name, known), "toolcall list")}`;
}
