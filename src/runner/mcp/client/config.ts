import { Configuration } from "../../config/configuration.ts";
import { unusable } from "../../config/config_file.ts";
import type { ConfigPlace } from "../../config/config_files.ts";
import { quote } from "../../../base/text/quote.ts";
import type { Grants } from "../../sandbox/policy/grants.ts";
import { Expansion } from "./expand.ts";
import { type ServerConfig, serverOf } from "./server_config.ts";

/** The configuration of MCP servers. */
export interface Config {
  /** The file; `undefined` when there is none. */
  path: string | undefined;
  /** The folder that its relative paths start from. */
  folder: string;
  /** The servers, by name; of one that cannot be used, why. */
  servers: ReadonlyMap<string, ServerConfig | Error>;
}

/** Where servers are looked for, and for what. */
export interface ServersPlace extends Omit<ConfigPlace, "variable"> {
  /** The environment: variables in values, and where the user's own file is. */
  environment: Readonly<Record<string, string>>;
  /** What the flags allow: a file where programs that a call starts may write is refused. */
  grants: Grants;
}

/**
 * Reads the servers of the first file that names some. Throws `unavailable` for a file that
 * cannot be used; an entry that cannot be used is in the place of its server.
 */
export function readConfig({ environment, grants, ...place }: ServersPlace): Config {
  const variable = (name: string) =>
    Object.hasOwn(environment, name) ? environment[name] : undefined;
  const [section] = new Configuration({ ...place, variable }).sections("mcpServers", grants);
  if (section === undefined) return { path: undefined, folder: place.root, servers: new Map() };
  const { path, folder } = section;
  const servers = new Map<string, ServerConfig | Error>();
  for (const [name, entry] of Object.entries(section.value)) {
    try {
      const server = serverOf(name, entry, new Expansion(environment));
      // The same words, "./server" for one, are another program in another folder.
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
