import type { FromSchema, JSONSchema } from "json-schema-to-ts";
import type { ToolOutput } from "../../base/content.ts";
import type { ServiceName, SettingValues } from "./services.ts";
import type { ToolContext } from "./tool_context.ts";

/** The categories that tools are in. */
export const categories = [
  ...["code", "vcs", "build", "research", "publish", "utility", "agent", "mcp"] as const,
];

/** What a tool is for. */
export type Category = (typeof categories)[number];

/** The side effects that tools have. */
export const sideEffects = [
  ...["none", "read_only", "mutating", "network", "blocking", "spawns"] as const,
];

/** The strongest thing a tool does to the world; the MCP annotations derive from it. */
export type SideEffect = (typeof sideEffects)[number];

/** The optionalities that tools have. */
export const optionalities = [...["required", "optional", "conditional"] as const];

/** Whether an agent works without the tool. */
export type Optionality = (typeof optionalities)[number];

/**
 * One thing a call needs, as a Deno permission descriptor. Paths may be
 * relative: they are resolved against the call's working folder. Of the folders that are
 * missing on the way to a file to write, those that lie in `foldersIn` are made; without
 * it none is.
 */
export type Permission =
  | { name: "read"; path: string }
  | { name: "write"; path: string; foldersIn?: string }
  | { name: "run"; command: string }
  | { name: "net"; host: string }
  | { name: "env"; variable: string }
  | { name: "sys"; kind: string }
  | { name: "mcp"; server: string };

/** The kinds of permission, named as in the flags: `--allow-<kind>`. */
export type PermissionKind = Permission["name"];

/**
 * A sample call. `expect` is text that the result contains; the example is run
 * by the tests in a copy of `tests/fixtures/tree`, whose path stands where the
 * input says `$ROOT`; `$SERVER` is the host and port of a server of `tests/fixtures/site`. `isError` marks an example of a failure.
 */
export interface Example {
  /** What the call is for. */
  description: string;
  /** The arguments. */
  input: Record<string, unknown>;
  /** Text that the result contains. */
  expect: string;
  /** Whether the call is meant to fail. */
  isError?: boolean;
  /** The flags with which it is printed, where those that grant its `needs` are not enough. */
  flags?: readonly string[];
}

/** How many calls may begin within a time. */
export interface RateLimit {
  /** How many calls at most. */
  calls: number;
  /** Within how many milliseconds, at any time. */
  windowMs: number;
}

/** How the engine treats the calls of a tool; the configuration may say otherwise. */
export interface Policy {
  /** The time limit of a call in milliseconds, with all its tries; 30,000 where it is not given. */
  timeoutMs?: number;
  /**
   * How often a call is tried again at most, when it failed in a way that may pass; 0 where it is
   * not given. A call of a tool that changes things, and is not idempotent, never is.
   */
  maxRetries?: number;
  /** How many calls may begin, over every process of one state folder; any number by default. */
  rateLimit?: RateLimit;
}

/** A tool: declaration first, behaviour last. One file in `tools/`, one default export. */
export interface ToolDefinition<Args = Record<string, unknown>> extends Omit<Policy, "timeoutMs"> {
  /** Unique; what the model calls. */
  name: string;
  /** Other names that call it, unique too. */
  aliases?: readonly string[];
  /** A short name for people. */
  title: string;
  /** What it does, for the model. Without one the tool can be called but is never listed. */
  description?: string;
  /** What it is for. */
  category: Category;
  /** The strongest thing it does to the world. */
  sideEffect: SideEffect;
  /**
   * Whether a change that it makes can destroy something. `mutating` and `spawns` mean `true` where
   * it is not given. A tool with another side effect gives it when it changes something all the same.
   */
  destructive?: boolean;
  /**
   * Whether it reaches what is not known beforehand, such as the Web. The side effect says so where
   * it is not given.
   */
  openWorld?: boolean;
  /** Whether a second, equal call changes nothing more. */
  idempotent?: boolean;
  /**
   * Whether every call ends by itself in bounded time and names files to the
   * system in synchronous calls only. Behind the kernel's wall such a tool runs
   * in the engine's own thread; any other runs in one that can be stopped.
   */
  bounded?: boolean;
  /** Whether an agent works without it. */
  optionality: Optionality;
  /** When to use it. */
  usageHint: string;
  /** The services of the engine that it uses: they are made ready before the walls. */
  uses?: readonly ServiceName[];
  /**
   * Whether `run_in_background` among the arguments makes the engine run the call as a
   * background task and answer with its id at once; a `description` among them is its title.
   */
  background?: boolean;
  /**
   * Whether `simpleTool` made it of a function without metadata: it takes any arguments, has
   * perhaps no examples, and is held to its permissions under `-A` too.
   */
  simple?: boolean;
  /** Capabilities of the machine that it cannot do without, such as a program's name. */
  requires?: readonly string[];
  /** JSON Schema 2020-12: the source of the argument type, the validator and the help. */
  inputSchema: JSONSchema;
  /** JSON Schema 2020-12 of the `structuredContent` that every successful call then returns. */
  outputSchema?: JSONSchema;
  /** Arguments that it accepts for published definitions and does not use; results name them. */
  ignores?: readonly string[];
  /** Sample calls: shown in the help, checked against the schema, run by the tests. */
  examples: readonly Example[];
  /** What it may use, and what one call of it uses. */
  permissions: {
    /** The kinds the tool can ever use. */
    kinds: readonly PermissionKind[];
    /** Exactly what this call needs; the settings are there for a tool that uses them. */
    needs(args: Args, cwd: string, settings: SettingValues): Permission[];
  };
  /** The time limit in milliseconds; 30,000 where it is not given. */
  timeoutMs?: number | ((args: Args) => number);
  /**
   * Whether this call changes anything, for a tool with calls that only read; those run in plan
   * mode too. Without it every call of a tool that is `mutating` or `spawns` counts as a change.
   */
  changes?(args: Args): boolean;
  /**
   * Runs the call and returns its text or blocks, perhaps with data; throws to fail, with plain
   * data for programs in the error's `cause`. It must not block its thread for
   * longer than it takes to look at `ctx.signal`.
   */
  run(
    args: Args,
    ctx: ToolContext,
  ): ToolOutput | Promise<ToolOutput>;
}

/**
 * Declares a tool. The argument type of `needs` and `run` is derived from
 * `inputSchema`, so a tool writes neither an interface nor a cast.
 *
 * @example
 * ```ts
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
