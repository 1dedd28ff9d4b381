import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { McpServers, ServersSetup } from "../mcp/client/mcp_servers.ts";
import { type Cancellable, cancelOnSignal } from "./cancel.ts";
import type { Registry } from "../registry/registry.ts";

/** The MCP servers of a process. Their configuration is read when the first call needs one. */
export class Servers {
  #setup: ServersSetup;
  #opened: Promise<McpServers> | undefined;
  #stays = false;

  /** Takes what they are reached with. */
  constructor(setup: ServersSetup) {
    this.#setup = setup;
  }

  /** The servers. Rejects with `unavailable` for a configuration that cannot be used. */
  open(): Promise<McpServers> {
    return this.#opened ??= this.#read().catch((error) => {
      this.#opened = undefined;
      throw error;
    });
  }

  /** To be called by what answers many calls: the catalogue then follows what servers say of their tools. */
  stay(): void {
    this.#stays = true;
  }

  /** Ends what was started. Never rejects. */
  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.close();
  }

  async #read(): Promise<McpServers> {
    const { McpServers } = await import("../mcp/client/mcp_servers.ts");
    const servers = new McpServers(this.#setup);
    if (this.#stays) servers.stay();
    return servers;
  }
}

/** What puts the tools of MCP servers into a catalogue; settings are such. */
export interface Catalogue {
  /** The catalogue. */
  registry: Registry;
  /** The servers. */
  servers: Servers;
  /** Who follows what is done with it. */
  listeners: Cancellable;
}

/**
 * Puts the tools of every configured MCP server into the catalogue, for what lists all of it.
 * Returns what could not be listed, and why; never rejects.
 */
export async function withServers(
  { registry, servers }: Pick<Catalogue, "registry" | "servers">,
): Promise<string[]> {
  try {
    return await (await servers.open()).provideAll(registry);
  } catch (error) {
    return [(error as Error).message];
  }
}

/**
 * Puts the tools of one MCP server into the catalogue, when `name` is the name of such a tool
 * and not there yet. Rejects with a `CallError`, also when the signal comes first.
 */
export async function withServerOf(
  name: string,
  { registry, servers, listeners }: Catalogue,
  stop: AbortController,
): Promise<void> {
  if (!name.startsWith("mcp__") || registry.has(name)) return;
  cancelOnSignal(listeners, stop);
  const provided = servers.open().then((opened) => opened.provide(name, registry));
  provided.catch(() => {});
  await Promise.race([
    provided,
    new Promise((_, reject) => {
      const cancelled = new CallError("cancelled", `Cancelled ${quote(name)}: a signal came`);
      stop.signal.addEventListener("abort", () => reject(cancelled), { once: true });
    }),
  ]);
}

/**
 * Puts the tools of MCP servers that are among the names into the catalogue. Returns why each that
 * cannot be had cannot, by its name; never rejects.
 */
export async function withServersOf(
  names: readonly string[],
  catalogue: Catalogue,
): Promise<Map<string, string>> {
  const reasons = new Map<string, string>();
  for (const name of names) {
    await withServerOf(name, catalogue, new AbortController())
      .catch((error: Error) => reasons.set(name, error.message));
  }
  return reasons;
}
