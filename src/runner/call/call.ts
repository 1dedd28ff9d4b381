import type { JsonId } from "../../base/json/inexact_number.ts";
import type { CallError } from "../../base/errors.ts";
import type { ConfiguredPolicy, ToolDefinition } from "../registry/define.ts";
import type { RegisteredTool } from "../registry/registered_tool.ts";
import type { Program } from "../program.ts";
import type { ClientService } from "../registry/client_service.ts";
import type { Registry } from "../registry/registry.ts";
import type { TasksService } from "../registry/services.ts";
import type { Screen } from "../../base/terminal/screen.ts";
import type { Decision, Grants } from "../sandbox/policy/grants.ts";
import type { AskClient } from "../ask/ask_user.ts";
import type { Executor, Job, Serve } from "../sandbox/executors/executor.ts";
import type { ExecutorPlan, Plan } from "../sandbox/plan.ts";
import type { TakePrint } from "../sandbox/executors/prints.ts";
import type { Limits } from "../sandbox/linux/kernel.ts";
import type { WorkerPool } from "../sandbox/executors/worker_pool.ts";
import type { OutputFile } from "../registry/tool_context.ts";
import type { CallPhase } from "../telemetry/recorded_call.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { Cancellable } from "./cancel.ts";
import type { Servers } from "./servers.ts";

/** A tool call, in the same form for every dialect. */
export interface ToolCall {
  /** The tool's name or alias. */
  name: string;
  /** Its arguments. Validation adds the schema's defaults. */
  arguments: Record<string, unknown>;
  /** The repairs that reading it needed. */
  repairs?: readonly Repair[];
  /** The arguments that were given and have no effect, besides those that the tool ignores. */
  ignored?: readonly string[];
}

/** A lossless correction of a model's text. */
export interface Repair {
  /** A JSON pointer into the arguments; `""` for the JSON text of the arguments or of the call. */
  path: string;
  /**
   * The kind of repair. `string` replaced a number that JavaScript would change by its digits. `integer`, `number` and `boolean` replaced a string by the value in it.
   * `json_text` replaced a string by the object or array in it. `one_item` put a scalar into a list.
   * `null` removed an optional argument. `json_syntax` corrected the JSON text. `arguments_key`
   * took the arguments from the key `from` of another dialect.
   */
  rule:
    | "string"
    | "integer"
    | "number"
    | "boolean"
    | "json_text"
    | "one_item"
    | "null"
    | "json_syntax"
    | "arguments_key";
  /** The scalar before the repair. */
  from?: string | number | boolean | null;
}

/** The item of OpenAI's Responses that a call came in, if it is no function call. */
export interface CallItem {
  /** Its type. An item that waits for somebody else is answered with a message. */
  type: "custom_tool_call" | "shell_call" | "local_shell_call" | "apply_patch_call" | "other";
  /** The keys of the item that its answer repeats. */
  repeated?: Readonly<Record<string, unknown>>;
}

/**
 * One call of a request: its id and its name in its dialect, its item if the answer has a form of its own,
 * and the call, or the reason why it could not be read.
 */
export type IncomingCall =
  & { id?: JsonId; name?: string; item?: CallItem }
  & ({ call: ToolCall } | { failure: CallError });

/** The input of `toolcall run-task`, the process that runs a background task. */
export interface TaskOrder {
  /** The call, validated and authorised. */
  call: ToolCall;
  /** Its time limit in milliseconds. */
  timeoutMs: number;
  /** The file for the output of a task that the caller records itself, and not the state directory. */
  output?: string;
  /** The MCP client that may read the task, if one started it. */
  owner?: string;
  /** The names of that client's capabilities. The task asks it what they allow. */
  capabilities?: string[];
}

/** How calls are executed. It stays the same for all calls of a command line or a connection. */
export interface CallOptions {
  /** This program. */
  program: Program;
  /** The catalogue. */
  registry: Registry;
  /** The problems of files of the tools directory, and what a bundle omits. A listing prints them. */
  problems?: readonly string[];
  /** Looks at each file of the tools directory, if the catalogue has only its names of before. */
  refreshTools?(): Promise<void>;
  /** The permissions that the flags grant. */
  grants: Grants;
  /** The working directory, a real path: relative paths are resolved against it. */
  cwd: string;
  /** Whether the programs that a tool starts run without a sandbox. */
  unconfinedRun: boolean;
  /** Whether arguments are used without repairs. */
  strict?: boolean;
  /** Whether results carry the data of the published output types. */
  structured?: boolean;
  /** Returns the policy that the configuration sets for the calls of a tool. */
  policyOf?(tool: string): ConfiguredPolicy;
  /** The absolute path of the audit log. */
  audit?: string;
  /** The size in bytes from which the audit log is renamed before a call. */
  auditMaxSize?: number;
  /** Whether the parent is a process of this program that writes the audit line itself. */
  auditedByParent?: boolean;
  /** The resource limits of each child process. */
  limits: Limits;
  /** The flags as given, to start a process of this program with the same flags. */
  flags: readonly string[];
  /** The state directory, if a flag names one. */
  stateDir?: string;
  /** The directory of the memory tool, a real path. */
  memoryDirectory?: string;
  /** The session that owns to-do lists, settings and conversations. */
  session: string;
  /**
   * The trace context of the caller, as W3C's `traceparent`. The audit log repeats it, and it is the
   * parent of the call's span.
   */
  trace?: string;
  /** Exports the calls as traces and metrics. */
  telemetry?: Telemetry;
  /** The output file of a background task; only set if the call is such a task. */
  output?: OutputFile;
  /** The background tasks that the call can read and stop. The default are those of the state directory. */
  tasks?: TasksService;
  /** The MCP client that may read a task which the call starts, if it takes tasks. */
  taskOwner?: string;
  /** The MCP servers of the configuration. The caller closes them at the end. */
  servers: Servers;
  /**
   * How the user is asked: by the client, by the program at a path, or on the terminal. `requests`
   * sends other requests to the MCP client that made the call.
   */
  ask: { client?: AskClient; requests?: ClientService; program?: string; screen: Screen };
  /** The Workers of a process that executes many calls. */
  pool?: WorkerPool;
  /**
   * Returns the executor of a tool: in a thread that was restricted for all its calls before, or in
   * another program.
   */
  executorOf?(tool: RegisteredTool, plan: ExecutorPlan): Executor;
  /** Whether another program executes the calls, which must stay as it is. */
  embedded?: boolean;
  /** The listeners of the call. */
  listeners: Listeners;
}

/** Functions that a call reports to while it runs. */
export interface Listeners extends Cancellable {
  /** Takes each step of the call: the tool when it is found, the prepared call, and its end. */
  onStep?(step: CallStep): void | Promise<void>;
  /** Takes the begin of each phase of the call, which ends the phase before. */
  onPhase?(phase: CallPhase): void;
  /** Takes each line of progress that the call reports. */
  onProgress?(line: string): void;
  /** Takes the tool's prints. Without it, they go to stderr. */
  onPrint?: TakePrint;
  /** Takes the output of a program that the tool starts, while it runs in this process. */
  onOutput?(chunk: Uint8Array): void;
}

/** A step of a call. */
export interface CallStep {
  /** The call, which is the same object in each of its steps. */
  call: ToolCall;
  /** The tool, when it is found. */
  tool?: RegisteredTool;
  /** The call, when it is ready to run. */
  prepared?: Prepared;
  /** Whether the call has succeeded, when it has. */
  succeeded?: true;
  /** The reason why it failed, when it did. */
  failure?: unknown;
}

/** A valid call with the decisions of the flags. */
export interface Prepared extends Pick<Job, "args" | "paths" | "writes" | "hosts"> {
  /** The tool's declaration. */
  tool: RegisteredTool;
  /** The tool's code. */
  definition: ToolDefinition;
  /** Each permission that the call needs, and whether the flags grant it. */
  decisions: Decision[];
  /** Serves the tool's requests to the engine. */
  serve: Serve;
  /** Where the call runs and what restricts it. */
  plan: Plan;
}
