import type { Server, ServerContext as RequestContext } from "@modelcontextprotocol/server";
import { fromFileUrl } from "@std/path/posix/from-file-url";
import { resolve } from "@std/path/posix/resolve";
import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import { realPathIfAny } from "../../sandbox/policy/paths.ts";
import type { ConnectionFlags, ServerContext } from "./server_context.ts";

/** The time that a client has to list its roots, in milliseconds. */
const ROOTS_MS = 10_000;

/**
 * The root directories of a client. They narrow the flags: paths outside of them are not granted.
 * A client without roots leaves the flags as they are.
 */
export class ClientRoots {
  #flags: Promise<ConnectionFlags> | undefined;

  /** Takes the connection's server. The roots are asked for again after the client changed them. */
  constructor(readonly server: Server, readonly shared: ServerContext) {
    server.setNotificationHandler("notifications/roots/list_changed", () => {
      this.#flags = undefined;
    });
  }

  /**
   * Returns the flags for a call of this connection. Rejects with `unavailable` if the client has
   * roots and does not list valid ones.
   */
  async flags(request: RequestContext): Promise<ConnectionFlags> {
    // Clients of revision 2026-07-28 have no roots.
    if (this.server.getClientCapabilities()?.roots === undefined || request.mcpReq.envelope) {
      return this.shared.settings;
    }
    for (;;) {
      const isFirst = this.#flags === undefined;
      const flags = this.#flags ??= this.#ask(request);
      try {
        return await flags;
      } catch (error) {
        if (this.#flags === flags) this.#flags = undefined;
        // The request of another call ends with that call: send one for this call.
        if (isFirst || request.mcpReq.signal.aborted) throw error;
      }
    }
  }

  async #ask({ mcpReq }: RequestContext): Promise<ConnectionFlags> {
    try {
      const { roots } = await mcpReq.send({ method: "roots/list" }, { timeout: ROOTS_MS });
      return roots.length === 0
        ? this.shared.settings
        : this.shared.narrowFlags(roots.map(({ uri }) => folderOf(uri)));
    } catch (error) {
      const why = (error as Error).message;
      throw new CallError("unavailable", `Cannot learn the roots of the MCP client: ${why}`);
    }
  }
}

/** Returns the real path of a root. Throws if it has no `file:` address or does not exist. */
function folderOf(uri: string): string {
  if (!URL.canParse(uri) || new URL(uri).protocol !== "file:") {
    throw new Error(`the root ${quote(uri)} is no file: address`);
  }
  // Decoding an escaped slash can produce a new "..", so resolve after it.
  const path = realPathIfAny(resolve(fromFileUrl(uri)));
  if (path === undefined) throw new Error(`the root ${quote(uri)} cannot be looked up`);
  return path;
}
