import type { CallResult } from "../call/failure.ts";
import type { ToolDefinition } from "../registry/define.ts";
import type { RegistryEntry } from "../registry/registered_tool.ts";
import type { Registry } from "../registry/registry.ts";
import type { RunnerPermissions } from "./runner_permissions.ts";

/** The options of a runner. */
export interface RunnerOptions {
  /** The tools: a registry, or definitions and entries in a list. */
  tools: Registry | readonly (ToolDefinition<never> | RegistryEntry)[];
  /**
   * The permissions of the calls: an object, or the flags of the command line in a list or in one
   * text with blanks between them. By default nothing is allowed.
   */
  permissions?: RunnerPermissions | string | readonly string[];
  /** The directory that relative paths are resolved against. The default is that of the program. */
  cwd?: string;
  /**
   * Whether tools that declare `run` are executed under permissions that restrict something.
   * Nothing confines the programs that they start. The default is false.
   */
  unconfinedRun?: boolean;
  /** Whether arguments are used without repairs. The default is false. */
  strict?: boolean;
  /** The directory of what tools store. The default is that of the user's toolcall. */
  stateDirectory?: string;
}

/** A call, as MCP's `tools/call` has it. */
export interface RunnerCall {
  /** The name of the tool, or an alias. */
  name: string;
  /** The arguments. The default is `{}`. */
  arguments?: Record<string, unknown>;
}

/** Options of one call. */
export interface RunnerCallOptions {
  /** Cancels the call when it is aborted. */
  signal?: AbortSignal;
  /** Takes each line of progress that the tool reports. */
  onProgress?: (line: string) => void;
}

/**
 * Runs calls in the way of the executable: it finds the tool, validates the arguments, asks the
 * permissions, plans and runs.
 */
export interface Runner {
  /** The catalogue of the runner. */
  readonly registry: Registry;
  /**
   * Runs one call. A failure is a result with `isError: true` and the code in
   * `_meta["toolcall/error"].code`. Calls may run at the same time. Rejects with {@link UsageError}
   * only if a value of `permissions` is wrong, such as an invalid host.
   */
  call(call: RunnerCall, options?: RunnerCallOptions): Promise<CallResult>;
}
