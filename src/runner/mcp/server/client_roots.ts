import type { Server, ServerContext as RequestContext } from "@modelcontextprotocol/server";
import { fromFileUrl } from "@std/path/posix/from-file-url";
import { pathRules } from "../../../base/fs/path_rules.ts";
import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import type { QuickCalls } from "../../call/quick_calls.ts";
import { realPathIfAny } from "../../sandbox/policy/paths.ts";
import type { ConnectionFlags, ServerContext } from "./tools_call.ts";

/** The time that a client has to list its roots, in milliseconds. */
const ROOTS_MS = 10_000;

/**
 * The root directories of a client. They narrow the flags: paths outside of them are not granted.
 * A client without roots leaves the flags as they are.
 */
export class ClientRoots {
  #flags: Promise<ConnectionFlags> | undefined;
  #narrowed: QuickCalls | undefined;

  /** The roots are asked for again after the client changed them. */
  constructor(readonly server: Server, readonly shared: ServerContext) {
    server.setNotificationHandler("notifications/roots/list_changed", () => this.forget());
  }

  /** Lets the next call ask for the roots again. */
  forget(): void {
    this.#flags = undefined;
    this.close();
  }

  /** Returns what answers quick calls, if the client and its roots are known. */
  quickCalls(): QuickCalls | undefined {
    const capabilities = this.server.getClientCapabilities();
    if (capabilities === undefined) return undefined;
    return capabilities.roots === undefined ? this.shared.quickCalls : this.#narrowed;
  }

  /** Ends what answers quick calls within the roots. */
  close(): void {
    this.#narrowed?.close();
    this.#narrowed = undefined;
  }

  /**
   * Returns the flags for a call of this connection. Rejects with `unavailable` if the client has
   * roots and does not list valid ones.
   */
  async narrowedFlags(request: RequestContext): Promise<ConnectionFlags> {
    // Clients of revision 2026-07-28 have no roots.
    if (this.server.getClientCapabilities()?.roots === undefined || request.mcpReq.envelope) {
      return this.shared.options;
    }
    for (;;) {
      const isFirst = this.#flags === undefined;
      const flags = this.#flags ??= this.#ask(request);
      try {
        const known = await flags;
        if (flags === this.#flags) this.#narrowed ??= this.shared.quickCalls.narrowed(known);
        return known;
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
        ? this.shared.options
        : this.shared.narrowFlags(roots.map(({ uri }) => directoryOf(uri)));
    } catch (error) {
      const why = (error as Error).message;
      throw new CallError("unavailable", `Cannot read the roots of the MCP client: ${why}`);
    }
  }
}

/** Returns the real path of a root. Throws if it has no `file:` address or does not exist. */
function directoryOf(uri: string): string {
  if (!URL.canParse(uri) || new URL(uri).protocol !== "file:") {
    throw new Error(`the root ${quote(uri)} is no file: address`);
  }
  // Decoding an escaped slash can produce a new "..", so resolve after it.
  const path = realPathIfAny(pathRules.resolve(fromFileUrl(uri)));
  if (path === undefined) throw new Error(`the root ${quote(uri)} cannot be looked up`);
  return path;
}
