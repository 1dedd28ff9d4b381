import type { ToolNames } from "./api_names.ts";
import { hint, nearest } from "../../base/text/nearest.ts";
import type { RegistryEntry } from "./registered_tool.ts";
import { quote } from "../../base/text/quote.ts";

/** The names of Bash, which also name the tools that run the shell calls of a model's vendor. */
const BASH: ToolNames = { name: "Bash", aliases: ["bash"] };
/** These tools. They have no description, so that no list has them. */
const SHELL_CALLS = ["shell.run", "shell.exec"];

/**
 * Whether `pattern` matches the tool: it is the tool's name or an alias, or it has wildcards (`*`)
 * and matches the name. Matching is case-sensitive. A pattern for Bash also matches the tools that
 * run shell calls.
 */
export function namesTool(pattern: string, tool: ToolNames): boolean {
  return matches(pattern, tool) || SHELL_CALLS.includes(tool.name) && matches(pattern, BASH);
}

function matches(pattern: string, { name, aliases }: ToolNames): boolean {
  if (!isPattern(pattern)) return pattern === name || aliases.includes(pattern);
  const [start, ...parts] = pattern.split("*") as [string, ...string[]];
  const end = parts.pop()!;
  if (!name.startsWith(start) || !name.endsWith(end)) return false;
  // Each part is matched at its first place. A regular expression could take exponential time.
  let at = start.length;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= name.length - end.length;
}

/** Whether it has wildcards. */
export function isPattern(name: string): boolean {
  return name.includes("*");
}

/** The prefix of MCP servers' tools, which are not known yet. */
const SERVER_PREFIX = "mcp__";

/**
 * Returns the error for a name or pattern that matches no tool. Returns undefined if a tool
 * matches, or if a tool of an MCP server may match later.
 */
export function toolNameFault(name: string, tools: readonly RegistryEntry[]): string | undefined {
  const [start] = name.split("*") as [string];
  if (start.startsWith(SERVER_PREFIX) || isPattern(name) && SERVER_PREFIX.startsWith(start)) {
    return undefined;
  }
  if (tools.some((tool) => namesTool(name, tool))) return undefined;
  const known = tools.flatMap((tool) => [tool.name, ...tool.aliases]);
  return `unknown tool ${quote(name)}; ${
    hint(nearest(name.replaceAll("*", ""), known), "toolcall list")
  }`;
}
