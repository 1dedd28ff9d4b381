import { CallError } from "../../base/errors.ts";
import { usualPlaces } from "../config/config_files.ts";
import {
  readServersConfig,
  type ServersConfig,
  unknownServer,
} from "../mcp/client/servers_config.ts";
import { redactor } from "../../base/text/redact.ts";
import { McpServer } from "../mcp/client/mcp_server.ts";
import type { ServerConfig } from "../mcp/client/server_config.ts";
import { serverProgram } from "../mcp/client/server_program.ts";
import { quote } from "../../base/text/quote.ts";
import { Registry } from "../registry/registry.ts";
import { decide } from "../sandbox/policy/grants.ts";
import type { CapabilitySetup } from "./capability.ts";
import type { CapabilityStatus } from "../registry/providers.ts";
import { programAdvice } from "./program.ts";

/** A configured MCP server. */
export type FoundServer = CapabilityStatus & {
  /** Its name. */
  name: string;
};

/** The MCP servers of a configuration. */
export interface FoundServers {
  /** The configuration file, if there is one. */
  path: string | undefined;
  /** The servers, in its order. */
  servers: FoundServer[];
}

/** Whether a usable MCP server is configured. Never throws. */
export function findServers(setup: CapabilitySetup): CapabilityStatus {
  return withConfiguration(setup, (config) => {
    const names = [...config.servers.keys()];
    if (names.length === 0) return noServerStatus(config, setup);
    const all = names.map((name) => foundIn(config, name, setup));
    const usable = names.filter((_, at) => all[at]!.ok);
    return usable.length > 0 ? { ok: true, detail: `configured: ${usable.join(", ")}` } : all[0]!;
  });
}

/** Whether the MCP server of that name is configured and usable. Never throws. */
export function findServer(name: string, setup: CapabilitySetup): CapabilityStatus {
  return withConfiguration(setup, (config) => {
    if (config.servers.has(name)) return foundIn(config, name, setup);
    if (config.servers.size === 0) return noServerStatus(config, setup);
    const advice = `add it under "mcpServers" in ${config.path}`;
    return { ok: false, detail: unknownServer(config, name), advice };
  });
}

/**
 * Checks every MCP server. Servers that the flags allow are started to get their tools, and ended.
 * Rejects with `unavailable` for a configuration that cannot be used.
 */
export async function examineServers(setup: CapabilitySetup): Promise<FoundServers> {
  const config = readServersConfig(setup);
  const names = [...config.servers.keys()];
  const servers = await Promise.all(names.map(async (name) => ({
    name,
    ...await examineServer(config, name, setup),
  })));
  return { path: config.path, servers };
}

async function examineServer(
  config: ServersConfig,
  name: string,
  setup: CapabilitySetup,
): Promise<CapabilityStatus> {
  const found = foundIn(config, name, setup);
  const server = config.servers.get(name);
  if (!found.ok || server === undefined || server instanceof Error) return found;
  const { granted, denied, flag } = decide({ name: "mcp", server: name }, setup.grants);
  if (granted) return await askServer(server, { config, found, setup });
  const why = denied ? `not asked: ${flag} forbids it` : `not asked without ${flag}`;
  return { ok: true, detail: `${found.detail}; ${why}` };
}

/** Asks a server for its current tools, without the cache. */
async function askServer(
  server: ServerConfig,
  { config, found, setup }: {
    config: ServersConfig;
    found: CapabilityStatus;
    setup: CapabilitySetup;
  },
): Promise<CapabilityStatus> {
  const { folder } = config;
  const connected = new McpServer(server, { ...setup, folder, isResident: false });
  const registry = new Registry();
  try {
    const problems = await connected.provide(registry, { mayAsk: true, isFresh: true }) ?? [];
    const { length } = await registry.list();
    const count = `${length} ${length === 1 ? "tool" : "tools"}`;
    return { ok: true, detail: [`${found.detail}: ${count}`, ...problems].join("; ") };
  } catch (error) {
    const detail = `${found.detail}: ${(error as Error).message}`;
    return { ok: false, detail, advice: `correct its entry in ${config.path}` };
  } finally {
    await connected.close();
  }
}

/** The configuration of a server, and whether its program exists. The server is not started. */
function foundIn(
  { path, folder, servers }: ServersConfig,
  name: string,
  { root, grants }: CapabilitySetup,
): CapabilityStatus {
  const server = servers.get(name)!;
  const correct = `correct ${quote(name)} under "mcpServers" in ${path}`;
  if (server instanceof Error) {
    const place = `Cannot use the configuration ${quote(path!, 4096)}: mcpServers, ${
      quote(name)
    }: `;
    return { ok: false, detail: server.message.replace(place, ""), advice: correct };
  }
  const { place, secrets } = server;
  if (place.type !== "stdio") {
    const type = place.type === "any" ? "http or sse" : place.type;
    // The rest of the address may be a secret.
    return { ok: true, detail: redactor(secrets)(`${type}, ${new URL(place.url).origin}`) };
  }
  const how = redactor(secrets)(`stdio, ${place.command}`);
  try {
    serverProgram(place, { root, folder, grants });
    return { ok: true, detail: how };
  } catch (error) {
    const { command } = place;
    const isMissing = error instanceof CallError && error.details["program"] !== undefined;
    const isNamed = isMissing && !command.includes("/");
    const why = isNamed ? "no such program in PATH" : (error as Error).message;
    return {
      ok: false,
      detail: `${how}: ${redactor(secrets)(why)}`,
      advice: isNamed ? programAdvice(command) : correct,
    };
  }
}

function withConfiguration(
  setup: CapabilitySetup,
  look: (config: ServersConfig) => CapabilityStatus,
): CapabilityStatus {
  try {
    return look(readServersConfig(setup));
  } catch (error) {
    return { ok: false, detail: (error as Error).message, advice: "correct the configuration" };
  }
}

function noServerStatus({ path }: ServersConfig, { root }: CapabilitySetup): CapabilityStatus {
  const where = path ?? usualPlaces({ root });
  return {
    ok: false,
    detail: "none is configured",
    advice: `name it under "mcpServers" in ${where}`,
  };
}
