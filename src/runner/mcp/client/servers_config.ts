import { CallError } from "../../../base/errors.ts";
import { hint, nearest } from "../../../base/text/nearest.ts";
import { Configuration } from "../../config/configuration.ts";
import { unusable } from "../../config/config_file.ts";
import { type ConfigPlace, usualPlaces } from "../../config/config_files.ts";
import { quote } from "../../../base/text/quote.ts";
import type { Grants } from "../../sandbox/policy/grants.ts";
import { Expansion } from "./expand.ts";
import { parseServer, type ServerConfig } from "./server_config.ts";

/** The configuration of MCP servers. */
export interface ServersConfig {
  /** The file; `undefined` if there is no file. */
  path: string | undefined;
  /** The directory that its relative paths start from. */
  folder: string;
  /** The servers by name; an error for an invalid entry. */
  servers: ReadonlyMap<string, ServerConfig | Error>;
}

/** The places of configuration files, and how their values are read. */
export interface ServersSource extends Omit<ConfigPlace, "variable"> {
  /** The environment, for variables in values and for the place of the user's own file. */
  environment: Readonly<Record<string, string>>;
  /** The flags; a file that child processes of a call may write is refused. */
  grants: Grants;
}

/**
 * Reads the servers of the first file that has some. Throws `unavailable` for a file that cannot be
 * used. An invalid entry does not affect the other servers.
 */
export function readServersConfig(
  { environment, grants, ...place }: ServersSource,
): ServersConfig {
  const variable = (name: string) =>
    Object.hasOwn(environment, name) ? environment[name] : undefined;
  const [section] = new Configuration({ ...place, variable }).sections("mcpServers", grants);
  if (section === undefined) return { path: undefined, folder: place.root, servers: new Map() };
  const { path, folder } = section;
  const servers = new Map<string, ServerConfig | Error>();
  for (const [name, entry] of Object.entries(section.value)) {
    try {
      const server = parseServer(name, entry, new Expansion(environment));
      // An equal entry of another file can be another server: relative commands depend on the file.
      if (server !== undefined) {
        servers.set(name, { ...server, source: `${path}\n${server.source}` });
      }
    } catch (error) {
      const why = (error as Error).message;
      servers.set(name, unusable(path, `mcpServers, ${quote(name)}: ${why}`));
    }
  }
  return { path, folder, servers };
}

/** Creates the error of a call that needs a server when none is configured. */
export function noServer(root: string, name?: string): CallError {
  const named = name === undefined ? "" : ` ${quote(name)}`;
  return new CallError(
    "unavailable",
    `Cannot use the MCP server${named}: none is configured; name it under "mcpServers" in ` +
      usualPlaces({ root }),
  );
}

/** Returns a message that a server is not configured, with the names of those that are. */
export function unknownServer({ path, servers }: ServersConfig, name: string): string {
  const known = [...servers.keys()];
  const near = nearest(name, known);
  const other = near === undefined ? `configured are ${known.join(", ")}` : hint(near, "");
  return `No MCP server ${quote(name)} is configured in ${quote(path!)}; ${other}`;
}

/** Creates the error of a tool whose name contains no configured server. */
export function unknownServerTool(
  { name, server }: { name: string; server: string | undefined },
  { config, root }: { config: ServersConfig; root: string },
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
