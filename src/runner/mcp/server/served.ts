import type { CallOptions } from "../../call/call.ts";
import type { Semaphore } from "../../../base/async/semaphore.ts";

/** The flags of a connection, as settings have them. */
export type Flags = Pick<CallOptions, "grants" | "flags">;

/** What every connection of this process is served with. */
export interface Served {
  /** How calls are answered. */
  settings: CallOptions;
  /** The flags cut down to what lies in these folders, real paths. */
  narrowed(roots: readonly string[]): Flags;
  /** Resolves when the tools of other MCP servers are in the catalogue, as far as they can be. */
  listed: Promise<void>;
  /** Runs a call so that what its tool prints in this thread is told from that of others. */
  apart<T>(call: () => T): T;
  /** The calls that run at the same time. */
  turns: Pick<Semaphore, "run">;
}
