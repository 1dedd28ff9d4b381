import type { CallOptions, ToolCall } from "../call/call.ts";
import type { StoredTask } from "../state/task_store.ts";
import type { ConnectionFlags, ServerContext } from "../mcp/server/tools_call.ts";

/** The functions of the command line that the page uses too. Each decision has one place. */
export interface PageBackend {
  /** The options, the quick calls and the limits that all calls of this process share. */
  shared: ServerContext;
  /** The permission flags of the command line. They are the ceiling. */
  ceiling: readonly string[];
  /** Reads permission flags. Rejects with a `UsageError` if they are wrong or wider than allowed. */
  narrow(flags: readonly string[]): Promise<ConnectionFlags>;
  /** The report of `toolcall check`. */
  check(call: ToolCall, options: CallOptions): Promise<unknown>;
  /** The catalogue, as `toolcall list --format=json` prints it. */
  tools(): Promise<unknown>;
  /** The permission sets of the configuration, by name. */
  permissionSets(): unknown;
  /** The background tasks. */
  tasks(): readonly StoredTask[];
  /** Stops a background task. */
  stopTask(id: string): Promise<unknown>;
  /** The output of a background task so far. */
  taskOutput(id: string): Promise<unknown>;
  /** The configured MCP servers with their state. */
  servers(): Promise<unknown>;
  /** Starts an MCP server and lists its tools. Rejects if the flags do not allow it. */
  startServer(name: string): Promise<void>;
  /** The configuration files with their texts, and what is wrong with them. */
  configuration(): Promise<unknown>;
  /** A result in the forms that the APIs of models take. */
  forModel(call: ToolCall, result: unknown): Promise<unknown>;
  /** The workers on NATS, if the command line names a server. */
  workers?(): Promise<unknown>;
  /** Runs another command of this program, such as `doctor`, and returns its JSON. */
  ownReport(args: readonly string[]): Promise<unknown>;
}

/** How the page is served. */
export interface PageOptions {
  /** The host that the server listens on. */
  hostname: string;
  /** The token that each request to the API has to carry. */
  token: string;
  /** Whether the page may run no calls. */
  isReadOnly: boolean;
  /** The version of this program. */
  version: string;
}

/** A request to call or check a tool. */
export interface PageCall {
  /** The call. */
  call: ToolCall;
  /** The narrower permission flags, or the ceiling if they are missing. */
  flags?: readonly string[];
}
