/** What is said of servers and tools that are not there. */

import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import { hint, nearest } from "../../../base/text/nearest.ts";
import { usualPlaces } from "../../config/config_files.ts";
import type { Config } from "./config.ts";

/** The failure where no server is configured at all. */
export function noServer(root: string, name?: string): CallError {
  const named = name === undefined ? "" : ` ${quote(name)}`;
  return new CallError(
    "unavailable",
    `Cannot use the MCP server${named}: none is configured; name it under "mcpServers" in ` +
      usualPlaces({ root }),
  );
}

/** That a server is not among the configured ones, and which are. */
export function unknownServer({ path, servers }: Config, name: string): string {
  const known = [...servers.keys()];
  const near = nearest(name, known);
  const other = near === undefined ? `configured are ${known.join(", ")}` : hint(near, "");
  return `No MCP server ${quote(name)} is configured in ${quote(path!)}; ${other}`;
}

/** The failure of a tool whose name names no configured server. */
export function unknownTool(
  { name, server }: { name: string; server: string | undefined },
  { config, root }: { config: Config; root: string },
): CallError {
  const why = server === undefined
    ? 'a tool of an MCP server is called as "mcp__<server>__<tool>"'
    : config.servers.size === 0
    ? noServer(root, server).message
    : unknownServer(config, server);
  return new CallError("tool_not_found", `Unknown tool ${quote(name)}: ${why}`, {
    tool: name.slice(0, 200),
  });
}
