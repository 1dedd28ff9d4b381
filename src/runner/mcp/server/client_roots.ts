import type { Server, ServerContext } from "@modelcontextprotocol/server";
import { fromFileUrl } from "@std/path/posix/from-file-url";
import { resolve } from "@std/path/posix/resolve";
import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import { realPathIfAny } from "../../sandbox/policy/paths.ts";
import type { Flags, Served } from "./served.ts";

/** How long a client may take to name its roots, in milliseconds. */
const WAIT_MS = 10_000;

/**
 * The folders that a client works in, which narrow the flags: what lies outside of them
 * is not granted. A client that names none leaves the flags as they are.
 */
export class ClientRoots {
  #flags: Promise<Flags> | undefined;

  /** Takes the connection's server, and forgets the roots whenever its client says that they changed. */
  constructor(readonly server: Server, readonly served: Served) {
    server.setNotificationHandler("notifications/roots/list_changed", () => {
      this.#flags = undefined;
    });
  }

  /** The flags for a call of this connection. Rejects with `unavailable` when the client does not name its roots. */
  async flags(context: ServerContext): Promise<Flags> {
    // Since 2026-07-28 a client has no roots to ask for.
    if (this.server.getClientCapabilities()?.roots === undefined || context.mcpReq.envelope) {
      return this.served.settings;
    }
    for (;;) {
      const isFirst = this.#flags === undefined;
      const flags = this.#flags ??= this.#ask(context);
      try {
        return await flags;
      } catch (error) {
        if (this.#flags === flags) this.#flags = undefined;
        // Another call's question ends with that call: then this one asks.
        if (isFirst || context.mcpReq.signal.aborted) throw error;
      }
    }
  }

  async #ask({ mcpReq }: ServerContext): Promise<Flags> {
    try {
      const { roots } = await mcpReq.send({ method: "roots/list" }, { timeout: WAIT_MS });
      return roots.length === 0
        ? this.served.settings
        : this.served.narrowed(roots.map(({ uri }) => folderOf(uri)));
    } catch (error) {
      const why = (error as Error).message;
      throw new CallError("unavailable", `Cannot learn the roots of the MCP client: ${why}`);
    }
  }
}

/** The real path of a root. Throws for what is no file, and for what cannot be looked up. */
function folderOf(uri: string): string {
  if (!URL.canParse(uri) || new URL(uri).protocol !== "file:") {
    throw new Error(`the root ${quote(uri)} is no file: address`);
  }
  // An escaped slash makes a ".." that the address does not show.
  const path = realPathIfAny(resolve(fromFileUrl(uri)));
  if (path === undefined) throw new Error(`the root ${quote(uri)} cannot be looked up`);
  return path;
}
