import type { CallError } from "../../base/errors.ts";
import type { Policy, ToolDefinition } from "../registry/define.ts";
import type { RegisteredTool } from "../registry/registered_tool.ts";
import type { Program } from "../program.ts";
import type { Registry } from "../registry/registry.ts";
import type { Screen } from "../../base/terminal/screen.ts";
import type { Decision, Grants } from "../sandbox/policy/grants.ts";
import type { AskClient } from "../ask/ask_user.ts";
import type { FileToWrite, Serve } from "../sandbox/executors/executor.ts";
import type { Plan } from "../sandbox/plan.ts";
import type { TakePrint } from "../sandbox/executors/prints.ts";
import type { Limits } from "../sandbox/linux/privileges.ts";
import type { WorkerPool } from "../sandbox/executors/worker_pool.ts";
import type { OutputFile } from "../registry/tool_context.ts";
import type { Cancellable } from "./cancel.ts";
import type { Servers } from "./servers.ts";

/** A tool call, whatever dialect it came in. */
export interface ToolCall {
  /** The tool's name or alias. */
  name: string;
  /** Its arguments, which validating completes with the schema's defaults. */
  arguments: Record<string, unknown>;
  /** What had to be repaired to read it. */
  repairs?: readonly Repair[];
}

/** A change to what a model wrote that loses nothing. */
export interface Repair {
  /** JSON pointer into the arguments; `""` for the JSON text that they, or the call, came in. */
  path: string;
  /**
   * The kind of repair. `integer`, `number` and `boolean` took the value that a text spells.
   * `json_text` took the object or array that a text spells. `one_item` made a list of one scalar.
   * `null` took an optional argument for absent. `json_syntax` corrected the JSON text.
   * `arguments_key` took the arguments from the key `from` of another dialect.
   */
  rule:
    | "integer"
    | "number"
    | "boolean"
    | "json_text"
    | "one_item"
    | "null"
    | "json_syntax"
    | "arguments_key";
  /** The scalar that was there. */
  from?: string | number | boolean | null;
}

/**
 * One call of what came in: what names it in its dialect, whether its answer is of the kind
 * for custom tools, and the call or why it is none.
 */
export type IncomingCall =
  & { id?: string; isCustom?: boolean }
  & ({ call: ToolCall } | { failure: CallError });

/** What `toolcall run-task`, the process that looks after a task, is given on its stdin. */
export interface TaskOrder {
  /** The call, complete and authorised. */
  call: ToolCall;
  /** Its time limit in milliseconds. */
  timeoutMs: number;
}

/** How calls are executed. It stays the same for all calls of a command line or a connection. */
export interface CallOptions {
  /** This program. */
  program: Program;
  /** The catalogue. */
  registry: Registry;
  /** What the flags allow. */
  grants: Grants;
  /** The working directory, a real path: relative paths are resolved against it. */
  cwd: string;
  /** Whether the programs that a tool starts run without a sandbox. */
  unconfinedRun: boolean;
  /** Whether arguments are taken as they are given; without it they are repaired. */
  strict?: boolean;
  /** Whether results carry the data of the published output types. */
  structured?: boolean;
  /** The policy that the configuration sets for the calls of a tool. */
  policyOf?(tool: string): Policy;
  /** The file that gets a line about each call, an absolute path. */
  audit?: string;
  /** Whether another process of this program waits for the result and writes that line. */
  auditedByParent?: boolean;
  /** What each program may use at most. */
  limits: Limits;
  /** The flags as they were given, for a process of this program that has the same ones. */
  flags: readonly string[];
  /** The directory of what outlives a call, if one was named. */
  stateDir?: string;
  /** The session whose state is meant. */
  session: string;
  /** The file that takes the output of a background task; there when the call is one. */
  output?: OutputFile;
  /** The MCP servers of the configuration. They have to be closed at the end. */
  servers: Servers;
  /** How the user is asked: by the caller, by the program of that path, or on that terminal. */
  ask: { client?: AskClient; program?: string; screen: Screen };
  /** The Workers of a process that executes many calls. */
  pool?: WorkerPool;
  /** Who follows the call. */
  listeners: Listeners;
}

/** Who follows a call while it runs. */
export interface Listeners extends Cancellable {
  /** Takes how far the call has come, for its line in the log. */
  onStep?(step: { tool?: RegisteredTool; prepared?: Prepared }): void | Promise<void>;
  /** Takes each line of progress that the call reports. */
  onProgress?(line: string): void;
  /** Takes what a tool prints; without it, that goes to stderr. */
  onPrint?: TakePrint;
}

/** A call that is known to be valid, and what the flags say to it. */
export interface Prepared {
  /** The tool's declaration. */
  tool: RegisteredTool;
  /** The tool's code. */
  definition: ToolDefinition;
  /** The arguments, complete. */
  args: Record<string, unknown>;
  /** What the call needs, and whether the flags grant it. */
  decisions: Decision[];
  /** The real path of each path that the call needs, by its absolute spelling. */
  paths: Record<string, string>;
  /** The files that it needs to write, as far as the flags grant them. */
  writes: FileToWrite[];
  /** Each `host:port` that it needs. */
  hosts: string[];
  /** Answers what the tool asks of the engine. */
  serve: Serve;
  /** Where the call runs and what restricts it. */
  plan: Plan;
}
