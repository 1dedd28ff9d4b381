import type { CallOptions } from "../../call/call.ts";
import type { Semaphore } from "../../../base/async/semaphore.ts";

/** The permission flags of one connection, in both forms that settings have. */
export type ConnectionFlags = Pick<CallOptions, "grants" | "flags">;

/**
 * Everything that the connections of this process share. The SDK has a type of the same name for
 * one request; it is imported here as `RequestContext`.
 */
export interface ServerContext {
  /** The settings that calls run under. */
  settings: CallOptions;
  /** Returns the flags restricted to these directories, which are real paths. */
  narrowFlags(roots: readonly string[]): ConnectionFlags;
  /** Resolves when the catalogue has the tools of all other MCP servers that can be listed. */
  toolsListed: Promise<void>;
  /** Runs a call so that prints of its tool in this thread are attributed to this call. */
  isolatePrints<T>(call: () => T): T;
  /** Limits how many calls run at the same time. */
  semaphore: Pick<Semaphore, "run">;
}
