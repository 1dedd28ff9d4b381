/** How the tools of MCP servers are called here: `mcp__<server>__<tool>`. */

import { quote } from "../../../base/text/quote.ts";

/** What every name of a server's tool starts with. */
export const PREFIX = "mcp__";

/**
 * The names of tools that MCP allows; older revisions had the slash too. The models' APIs accept
 * fewer names, so the catalogue has another name for each tool that they would refuse.
 *
 * @see https://modelcontextprotocol.io/specification, "Tools", "Tool Names"
 */
const LEGAL = /^[A-Za-z0-9_./-]{1,128}$/;

/** The name that a server's tool is called by; `undefined` when it would be no legal one. */
export function toolName(server: string, tool: string): string | undefined {
  return LEGAL.test(tool) ? `${PREFIX}${server}__${tool}` : undefined;
}

/** The server that a tool of that name belongs to; `undefined` when the name has no such form. */
export function serverIn(name: string): string | undefined {
  if (!name.startsWith(PREFIX)) return undefined;
  const end = name.indexOf("__", PREFIX.length);
  return end <= PREFIX.length ? undefined : name.slice(PREFIX.length, end);
}

/** What is wrong with a server's name, if anything: it has to be told apart within a tool's name. */
export function serverNameFault(name: string): string | undefined {
  const isFit = /^[A-Za-z0-9_-]{1,48}$/.test(name) && !name.includes("__") &&
    !name.startsWith("_") && !name.endsWith("_");
  if (isFit) return undefined;
  return `the server's name ${
    quote(name)
  } has to be 1 to 48 letters, digits, "-" and single "_", ` +
    'which it neither starts nor ends with, so that "mcp__<server>__<tool>" can be taken apart';
}
