import type { McpServers, ServersSetup } from "../mcp/client/mcp_servers.ts";
import { callerCancelled, type Cancellable, cancelOnSignal } from "./cancel.ts";
import type { Registry } from "../registry/registry.ts";

/** The MCP servers of a process. Their configuration is read when the first call needs one. */
export class Servers {
  /** Whether there is a file that may name servers. */
  readonly mayBeConfigured: boolean;
  #setup: ServersSetup;
  #opened: Promise<McpServers> | undefined;
  #stays = false;

  /** Takes everything that connecting to them needs, and whether there is a configuration file. */
  constructor(setup: ServersSetup, { mayBeConfigured = true } = {}) {
    this.#setup = { ...setup };
    this.mayBeConfigured = mayBeConfigured;
  }

  /** Returns the servers. Rejects with `unavailable` for an unusable configuration. */
  open(): Promise<McpServers> {
    return this.#opened ??= this.#read().catch((error) => {
      this.#opened = undefined;
      throw error;
    });
  }

  /** Keeps the catalogue up to date when a server changes its tools, for a long-lived process. */
  stay(): void {
    this.#stays = true;
  }

  /** The same servers, of which this session starts processes of its own. */
  forSession(): Servers {
    const session = new Servers(this.#setup, this);
    session.#stays = this.#stays;
    return session;
  }

  /**
   * Prepares for a process that serves an MCP client: the servers end with it, also those whose
   * entries have `keepAlive`, and the client shows their forms.
   */
  serveClient(): void {
    const { keeps: _, ...setup } = this.#setup;
    this.#setup = { ...setup, mayAskUser: true };
  }

  /** Closes the connections and ends the started servers. Never rejects. */
  async closeAll(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.close();
  }

  async #read(): Promise<McpServers> {
    const { McpServers } = await import("../mcp/client/mcp_servers.ts");
    return new McpServers(this.#setup, { isResident: this.#stays });
  }
}

/** A catalogue and the MCP servers whose tools are added to it, as in `CallOptions`. */
export interface Catalogue {
  /** The catalogue. */
  registry: Registry;
  /** The servers. */
  servers: Servers;
  /** The caller, who can cancel. */
  listeners: Cancellable;
}

/** Adds the tools of all MCP servers. Returns a message for each that failed. Never rejects. */
export async function withServers(
  { registry, servers }: Pick<Catalogue, "registry" | "servers">,
): Promise<string[]> {
  if (!servers.mayBeConfigured) return [];
  try {
    return await (await servers.open()).provideAll(registry);
  } catch (error) {
    return [(error as Error).message];
  }
}

/**
 * Adds the tools of one MCP server to the catalogue, if `name` is the name of such a tool and still
 * missing. Rejects with a `CallError`, also if `stop` is aborted first.
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
      const cancel = () => reject(callerCancelled(name, listeners));
      stop.signal.addEventListener("abort", cancel, { once: true });
    }),
  ]);
}

/** Adds the MCP servers' tools among the names. Returns why names failed. Never rejects. */
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
