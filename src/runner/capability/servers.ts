import { CallError } from "../../base/errors.ts";
import { usualPlaces } from "../config/config_files.ts";
import {
  readServersConfig,
  type ServersConfig,
  unknownServer,
} from "../mcp/client/servers_config.ts";
import { redactor } from "../../base/text/redact.ts";
import { McpServer } from "../mcp/client/mcp_server.ts";
import { serverProgram } from "../mcp/client/server_program.ts";
import { quote } from "../../base/text/quote.ts";
import { Registry } from "../registry/registry.ts";
import { decide } from "../sandbox/policy/grants.ts";
import type { CapabilitySetup } from "./capability.ts";
import type { CapabilityStatus } from "../registry/providers.ts";
import { programAdvice } from "./program.ts";

/** Whether the MCP server of that name, or else any, is configured and usable. Never throws. */
export function findServer(setup: CapabilitySetup, name?: string): CapabilityStatus {
  try {
    const config = readServersConfig(setup);
    const { servers, path } = config;
    const names = [...servers.keys()];
    if (names.length === 0) {
      const advice = `add it under "mcpServers" in ${path ?? usualPlaces(setup)}`;
      return { ok: false, detail: "none is configured", advice };
    }
    if (name === undefined) {
      const all = names.map((each) => foundIn(config, each, setup));
      const usable = names.filter((_, at) => all[at]!.ok);
      return usable.length > 0 ? { ok: true, detail: `configured: ${usable.join(", ")}` } : all[0]!;
    }
    if (servers.has(name)) return foundIn(config, name, setup);
    const advice = `add it under "mcpServers" in ${path}`;
    return { ok: false, detail: unknownServer(config, name), advice };
  } catch (error) {
    return { ok: false, detail: (error as Error).message, advice: "correct the configuration" };
  }
}

/**
 * Checks every MCP server of the configuration file at `path`, in its order. Servers that the flags
 * allow are started to get their tools, and ended. Rejects with `unavailable` for a configuration
 * that cannot be used.
 */
export async function examineServers(
  setup: CapabilitySetup,
): Promise<{ path: string | undefined; servers: (CapabilityStatus & { name: string })[] }> {
  const config = readServersConfig(setup);
  const servers = await Promise.all(
    Array.from(config.servers.keys(), async (name) => ({
      name,
      ...await examineServer(config, name, setup),
    })),
  );
  return { path: config.path, servers };
}

/** Asks a server that the flags allow for its current tools, without the cache. */
async function examineServer(
  config: ServersConfig,
  name: string,
  setup: CapabilitySetup,
): Promise<CapabilityStatus> {
  const found = foundIn(config, name, setup);
  const server = config.servers.get(name);
  if (!found.ok || server === undefined || server instanceof Error) return found;
  const { granted, denied, flag } = decide({ name: "mcp", server: name }, setup.grants);
  if (!granted) {
    const why = denied ? `not asked: ${flag} forbids it` : `not asked without ${flag}`;
    return { ok: true, detail: `${found.detail}; ${why}` };
  }
  const { directory } = config;
  const connected = new McpServer(server, { ...setup, directory, isResident: false });
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
  { path, directory, servers }: ServersConfig,
  name: string,
  { root, grants }: CapabilitySetup,
): CapabilityStatus {
  const server = servers.get(name)!;
  const correct = `correct ${quote(name)} under "mcpServers" in ${path}`;
  if (server instanceof Error) {
    const start = `Cannot use the configuration ${quote(path!, 4096)}: mcpServers, `;
    const detail = server.message.replace(`${start}${quote(name)}: `, "");
    return { ok: false, detail, advice: correct };
  }
  const { place, secrets } = server;
  if (place.type !== "stdio") {
    const type = place.type === "any" ? "http or sse" : place.type;
    // The rest of the address may be a secret.
    return { ok: true, detail: redactor(secrets)(`${type}, ${new URL(place.url).origin}`) };
  }
  const how = redactor(secrets)(`stdio, ${place.command}`);
  try {
    serverProgram(place, { root, directory, grants });
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
