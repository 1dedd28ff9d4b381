import { CallError, UsageError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import {
  noServer,
  readServersConfig,
  type ServersConfig,
  unknownServer,
} from "../../mcp/client/servers_config.ts";
import { isRemote, type RemoteConfig, type TokenSetup } from "../../mcp/oauth/remote_config.ts";
import { callersEnvironment } from "../../sandbox/executors/environment.ts";
import type { CommandLine } from "../command.ts";
import { realGrants } from "../call_options.ts";
import { configPlace, workingDirectory } from "../../config/config_files.ts";

/** The configured servers, and how a call would get their tokens. */
export async function readServers(
  line: CommandLine,
): Promise<{ config: ServersConfig; root: string; setup: TokenSetup }> {
  const here = workingDirectory();
  const { root } = configPlace(line, here);
  const grants = await realGrants(line.grants, here);
  const [file, stateDir] = [line.options.get("config"), line.options.get("state-dir")];
  const named = {
    ...(file !== undefined && { config: file }),
    ...(stateDir !== undefined && { stateDir }),
  };
  const config = readServersConfig({ root, grants, environment: callersEnvironment, ...named });
  const { directory } = config;
  const setup = { grants, directory, ...named };
  return { config, root, setup };
}

/**
 * The configured server of that name, which must be at an address. Throws `unavailable` if it is
 * not configured, and {@link UsageError} for a program.
 */
export async function remoteServer(
  name: string,
  line: CommandLine,
): Promise<{ server: RemoteConfig; setup: TokenSetup }> {
  const { config, root, setup } = await readServers(line);
  const server = config.servers.get(name);
  if (server === undefined) {
    if (config.servers.size === 0) throw noServer(root, name);
    throw new CallError("unavailable", unknownServer(config, name), { server: name });
  }
  if (server instanceof Error) throw server;
  if (isRemote(server)) return { server, setup };
  throw new UsageError(
    `Cannot log in to ${quote(name)}: it is a program, and gets its keys by "env"`,
  );
}

/** Throws {@link UsageError} for a flag that only another command of `mcp` takes. */
export function refuseOthers(
  { options }: CommandLine,
  known: readonly string[],
  command: string,
): void {
  const given = [...options.keys()].find((name) => !known.includes(name));
  if (given !== undefined) throw new UsageError(`Cannot use --${given} with "${command}"`);
}
