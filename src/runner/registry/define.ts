import type { FromSchema, JSONSchema } from "json-schema-to-ts";
import type { ArgumentProblem } from "../../base/argument_problem.ts";
import type { ToolOutput } from "../../base/content.ts";
import type { ServiceName, SettingValues } from "./services.ts";
import type { ToolContext } from "./tool_context.ts";

/** The categories that tools are in. */
export const categories = [
  ...["code", "vcs", "build", "research", "publish", "utility", "agent", "mcp"] as const,
];

/** The purpose of a tool. */
export type Category = (typeof categories)[number];

/** The side effects that tools have. */
export const sideEffects = [
  ...["none", "read_only", "mutating", "network", "blocking", "spawns"] as const,
];

/** The strongest effect of a tool. The MCP annotations derive from it. */
export type SideEffect = (typeof sideEffects)[number];

/** The optionalities that tools have. */
export const optionalities = [...["required", "optional", "conditional"] as const];

/** Whether an agent works without the tool. */
export type Optionality = (typeof optionalities)[number];

/**
 * A group of tools that a catalogue has only in some cases. `vendor` are the tools that the vendor of
 * a model describes to it. `compat` are tools with the names that other programs use.
 */
export type ToolGroup = "vendor" | "compat";

/**
 * One permission that a call needs, as a Deno permission descriptor. Relative paths are resolved
 * against the call's working directory. Missing directories on the way to a file to write are
 * created if they are inside `directoriesIn`. Without `directoriesIn`, none is created. `asEntry`
 * means that what is at the path, also a directory, is removed or renamed.
 */
export type Permission =
  | { name: "read"; path: string }
  | { name: "write"; path: string; directoriesIn?: string; asEntry?: boolean }
  | { name: "run"; command: string }
  | { name: "net"; host: string }
  | { name: "env"; variable: string }
  | { name: "sys"; kind: string }
  | { name: "mcp"; server: string };

/** The kinds of permission, named as in the flags: `--allow-<kind>`. */
export type PermissionKind = Permission["name"];

/**
 * A sample call. The tests run it in a copy of `tests/fixtures/tree`. `$ROOT` in the input is the
 * path of that copy, and `$SERVER` is the host and port of a server of `tests/fixtures/site`.
 */
export interface Example {
  /** The purpose of the call. */
  description: string;
  /** The arguments. */
  input: Record<string, unknown>;
  /** Text that the result contains. */
  expect: string;
  /** Whether the call must fail. */
  isError?: boolean;
  /** The flags with which it is printed, if those for its `needs` are not enough. */
  flags?: readonly string[];
}

/** A limit of calls within a time. */
export interface RateLimit {
  /** The number of calls. */
  calls: number;
  /** Within how many milliseconds, at any time. */
  windowMs: number;
}

/** How calls of a tool are treated. The configuration can override it. */
export interface Policy {
  /** The time limit of a call in milliseconds, including all retries. The default is 30,000. */
  timeoutMs?: number;
  /**
   * The number of retries after a retryable failure. The default is 0. A call of a tool that
   * changes something and is not idempotent is never retried.
   */
  maxRetries?: number;
  /** The limit of calls in all processes with one state directory. Default: no limit. */
  rateLimit?: RateLimit;
}

/** How the configuration wants calls of a tool to be treated. */
export interface ConfiguredPolicy extends Policy {
  /** The time that the shell of a session runs without a call, in milliseconds. */
  idleMs?: number;
}

/** How a tool shows a short file. It gets the bytes, so it opens nothing. */
export interface ShortFile<Args = Record<string, unknown>> {
  /** The size of the largest file that it shows, in bytes. */
  maxBytes: number;
  /**
   * Returns what `run` would return for a file with these bytes, or `undefined` if only `run` can
   * tell. `path` is the real path of the file.
   */
  show(args: Args, bytes: Uint8Array<ArrayBuffer>, path: string): ToolOutput | undefined;
}

/** A tool: declaration first, behaviour last. One file in `tools/`, one default export. */
export interface ToolDefinition<Args = Record<string, unknown>> extends Omit<Policy, "timeoutMs"> {
  /** The unique name that models call. */
  name: string;
  /** Other names that call it, unique too. */
  aliases?: readonly string[];
  /**
   * The group of the tool. A tool of `vendor` is always called by its name, and is listed only if
   * its group is offered. A tool of `compat` is unknown until its group is offered. A configured tool
   * with the same name takes precedence. By default, a tool is always listed.
   */
  offered?: ToolGroup;
  /** The title for people. */
  title: string;
  /** The description for models. A tool without a description can be called but is never listed. */
  description?: string;
  /** The purpose. */
  category: Category;
  /** The strongest thing it does to the world. */
  sideEffect: SideEffect;
  /**
   * Whether a change can destroy something. The default is true for `mutating` and `spawns`. A tool
   * with another side effect sets it if it changes something.
   */
  destructive?: boolean;
  /** Whether it reaches unknown places, such as the Web. Default: as its side effect. */
  openWorld?: boolean;
  /** Whether a second, equal call has no additional effect. */
  idempotent?: boolean;
  /**
   * Whether every call ends by itself in bounded time and passes file names to the system only in
   * synchronous calls. Such a tool runs in the main thread under Landlock. Other tools run in a
   * thread that can be stopped.
   */
  bounded?: boolean;
  /**
   * The program that ships with this one and that the tool starts as a part of itself. No flag
   * grants it. The tool passes every path to it, and otherwise is like a `bounded` one.
   */
  helper?: "rg";
  /** Whether an agent works without it. */
  optionality: Optionality;
  /** The situations in which to use it. Models get it after the description. It may be empty. */
  usageHint: string;
  /** The services that it uses. They are prepared before the sandbox is entered. */
  uses?: readonly ServiceName[];
  /**
   * Whether the argument `run_in_background` makes the call a background task, which is answered
   * with its id at once; with `always`, every call is one. The argument `description` is the title
   * of the task.
   */
  background?: boolean | "always";
  /**
   * Whether the argument `session` runs the call in a shell that stays between calls. Such a call
   * gets `ctx.shell`.
   */
  shell?: boolean;
  /**
   * Whether `simpleTool` made it of a function without metadata. It takes any arguments, may have
   * no examples, and is limited to its permissions even with `-A`.
   */
  simple?: boolean;
  /** The capabilities of the machine that it requires, such as the name of a program. */
  requires?: readonly string[];
  /** JSON Schema 2020-12: the source of the argument type, the validator and the help. */
  inputSchema: JSONSchema;
  /** JSON Schema 2020-12 of the `structuredContent` that every successful call then returns. */
  outputSchema?: JSONSchema;
  /** Arguments that published definitions have and this tool ignores. Results name them. */
  ignores?: readonly string[];
  /**
   * The rules that a schema cannot express. Returns every problem, with its path. It also gets
   * arguments that break the schema. An error that it then throws does not count.
   */
  rules?(args: Args, cwd: string): readonly ArgumentProblem[];
  /** Sample calls: shown in the help, checked against the schema, run by the tests. */
  examples: readonly Example[];
  /** The permissions. */
  permissions: {
    /** The kinds the tool can ever use. */
    kinds: readonly PermissionKind[];
    /**
     * The permissions that this call needs. `settings` are filled for a tool that uses them. The
     * setting `memory.directory` is the directory of `--memory-dir` for every tool.
     */
    needs(args: Args, cwd: string, settings: SettingValues): Permission[];
    /** Programs that this call probably starts besides its needs. Only `check` and help show them. */
    likely?(args: Args): string[];
  };
  /** The time limit in milliseconds. The default is 30,000. */
  timeoutMs?: number | ((args: Args) => number);
  /**
   * Whether this call changes something. Calls that only read run in plan mode too. By default,
   * every call of a tool that is `mutating` or `spawns` counts as a change.
   */
  changes?(args: Args): boolean;
  /** For a `bounded` tool that reads one file: how a short file is shown without a thread. */
  shortFile?: ShortFile<Args>;
  /**
   * Runs the call. Returns its text or blocks, and optionally data. Throws to fail; plain data for
   * programs may be in the error's `cause`. It must not block its thread for long, so that
   * `ctx.signal` is noticed.
   */
  run(args: Args, ctx: ToolContext): ToolOutput | Promise<ToolOutput>;
}

/**
 * Declares a tool. The argument type of `needs` and `run` is derived from
 * `inputSchema`, so a tool writes neither an interface nor a cast.
 *
 * @example
 * ```ts
 * import { defineTool } from "@toolcall/toolcall";
 *
 * const shout = defineTool({
 *   name: "Shout",
 *   title: "Shout",
 *   description: "Says a text in capitals",
 *   category: "utility",
 *   sideEffect: "none",
 *   optionality: "optional",
 *   usageHint: "When a text must be loud",
 *   inputSchema: {
 *     type: "object",
 *     properties: { text: { type: "string", description: "The text" } },
 *     required: ["text"],
 *     additionalProperties: false,
 *   },
 *   examples: [{ description: "Be loud", input: { text: "hi" }, expect: "HI" }],
 *   permissions: { kinds: [], needs: () => [] },
 *   run: (args) => args.text.toUpperCase(),
 * });
 * console.assert(shout.name === "Shout");
 * ```
 */
export function defineTool<const S extends JSONSchema, Args = FromSchema<S>>(
  definition: Omit<ToolDefinition<Args>, "inputSchema"> & { inputSchema: S },
): ToolDefinition<Args> {
  return definition;
}
