import { CallError } from "../../../base/errors.ts";
import { hint, nearest } from "../../../base/text/nearest.ts";
import { quote } from "../../../base/text/quote.ts";
import type { CapabilitySetup } from "../../capability/capability.ts";
import { unusable } from "../../config/config_file.ts";
import { usualPlaces } from "../../config/config_files.ts";
import { Configuration } from "../../config/configuration.ts";
import { parseServer, type ServerConfig } from "./server_config.ts";

/** The call's options that the configuration depends on. */
export type ServersSource = Pick<
  CapabilitySetup,
  "config" | "root" | "environment" | "grants" | "stateDir"
>;

/** The configuration of MCP servers. */
export interface ServersConfig {
  /** The file; `undefined` if there is no file. */
  path: string | undefined;
  /** The directory that its relative paths start from. */
  directory: string;
  /** The servers by name; an error for an invalid entry. */
  servers: ReadonlyMap<string, ServerConfig | Error>;
}

/**
 * Reads the servers of the first file that has some, apart from files that the user does not trust: each
 * of their servers is an error. Throws `unavailable` for a file that cannot be used, also because child
 * processes of a call may write it. An invalid entry does not affect the other servers.
 */
export function readServersConfig(
  { config: file, root, environment, grants, stateDir }: ServersSource,
): ServersConfig {
  const variables = environment();
  const variable = (name: string) => Object.hasOwn(variables, name) ? variables[name] : undefined;
  const place = {
    ...{ root, variable },
    ...(file !== undefined && { file }),
    ...(stateDir !== undefined && { stateDir }),
  };
  const sections = new Configuration(place).sections("mcpServers", grants);
  const section = sections.find(({ refusal }) => refusal === undefined);
  const servers = new Map<string, ServerConfig | Error>(
    sections.flatMap(({ value, refusal }) =>
      refusal === undefined ? [] : Object.keys(value).map((name) => [name, refusal(name)] as const)
    ),
  );
  if (section === undefined) return { path: sections[0]?.path, directory: root, servers };
  const { path, directory } = section;
  for (const [name, entry] of Object.entries(section.value)) {
    try {
      const server = parseServer(name, entry, variables);
      // An equal entry of another file can be another server: relative commands depend on the file.
      if (server !== undefined) {
        servers.set(name, { ...server, file: path, source: `${path}\n${server.source}` });
      }
    } catch (error) {
      const why = (error as Error).message;
      servers.set(name, unusable(path, `mcpServers, ${quote(name)}: ${why}`));
    }
  }
  return { path, directory, servers };
}

/** Creates the error of a call that needs a server when none is configured. */
export function noServer(root: string, name?: string): CallError {
  const named = name === undefined ? "" : ` ${quote(name)}`;
  const where = usualPlaces({ root });
  const message = `Cannot use the MCP server${named}: none is configured; add it under ` +
    `"mcpServers" in ${where}`;
  return new CallError("unavailable", message);
}

/** Returns a message that a server is not configured, with the names of those that are. */
export function unknownServer({ path, servers }: ServersConfig, name: string): string {
  const known = [...servers.keys()];
  const near = nearest(name, known);
  const other = near === undefined ? `configured are ${known.join(", ")}` : hint(near, "");
  return `No MCP server ${quote(name)} is configured in ${quote(path!)}; ${other}`;
}
