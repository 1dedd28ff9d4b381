/** The names of the tools of MCP servers in the catalogue: `mcp__<server>__<tool>`. */

import { quote } from "../../../base/text/quote.ts";

/** The beginning of the name of every tool of an MCP server. */
const PREFIX = "mcp__";

/**
 * The tool names that MCP allows; older revisions also allowed the slash. The models' APIs accept
 * fewer names, so the catalogue has a second name for each tool that they would refuse.
 *
 * @see https://modelcontextprotocol.io/specification, "Tools", "Tool Names"
 */
const LEGAL = /^[A-Za-z0-9_./-]{1,128}$/;

/** Returns the name of a server's tool in the catalogue; `undefined` if its name is not allowed. */
export function toolName(server: string, tool: string): string | undefined {
  return LEGAL.test(tool) ? `${PREFIX}${server}__${tool}` : undefined;
}

/** Returns the server that a name of a tool contains; `undefined` if it has another form. */
export function serverIn(name: string): string | undefined {
  if (!name.startsWith(PREFIX)) return undefined;
  const end = name.indexOf("__", PREFIX.length);
  return end <= PREFIX.length ? undefined : name.slice(PREFIX.length, end);
}

/** Returns the name that the server of a tool gives it; `undefined` for any other tool. */
export function toolIn(name: string): string | undefined {
  const server = serverIn(name);
  return server === undefined ? undefined : name.slice(`${PREFIX}${server}__`.length);
}

/**
 * Returns a message if a server's name is invalid, otherwise `undefined`. The server's name must be
 * separable from the tool's in `mcp__<server>__<tool>`.
 */
export function serverNameFault(name: string): string | undefined {
  const isFit = /^[A-Za-z0-9_-]{1,48}$/.test(name) && !name.includes("__") &&
    !name.startsWith("_") && !name.endsWith("_");
  if (isFit) return undefined;
  return `the server's name ${quote(name)} has to be 1 to 48 letters, digits, "-" and single ` +
    '"_", which it neither starts nor ends with, so that "mcp__<server>__<tool>" can be taken apart';
}
