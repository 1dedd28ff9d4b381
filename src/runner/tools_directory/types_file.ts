/** The name of the file with the types, beside the tools. */
export const TYPES_NAME = "toolcall.d.ts";

/** The settings with which an editor, and the type checker of `toolcall try`, find the types. */
export const DENO_JSON = `{
  "imports": { "toolcall": "./${TYPES_NAME}" },
  "compilerOptions": { "strict": true }
}
`;

/**
 * The types of the module "toolcall" in a tools directory. They are the part of
 * `src/runner/registry/` that such a tool can use.
 */
export const TYPES = `// Written by "toolcall new --typescript". Do not edit: it is written again.

/** The type of the values of a JSON Schema. */
type FromSchema<S> = S extends { const: infer C } ? C
  : S extends { enum: readonly (infer E)[] } ? E
  : S extends { anyOf: readonly (infer A)[] } ? FromSchema<A>
  : S extends { oneOf: readonly (infer A)[] } ? FromSchema<A>
  : S extends { type: infer T } ? FromType<T, S>
  : unknown;

type FromType<T, S> = T extends readonly (infer U)[] ? FromType<U, S>
  : T extends "string" ? string
  : T extends "number" | "integer" ? number
  : T extends "boolean" ? boolean
  : T extends "null" ? null
  : T extends "array" ? (S extends { items: infer I } ? FromSchema<I>[] : unknown[])
  : T extends "object" ? FromObject<S>
  : unknown;

type FromObject<S> = S extends { properties: infer P }
  ? Simplify<
    & { [K in keyof P as K extends Given<S, P> ? K : never]: FromSchema<P[K]> }
    & { [K in keyof P as K extends Given<S, P> ? never : K]?: FromSchema<P[K]> }
  >
  : Record<string, unknown>;

/** The properties that are always there: required ones, and those with a default. */
type Given<S, P> =
  | (S extends { required: readonly (infer R)[] } ? R : never)
  | { [K in keyof P]: P[K] extends { default: unknown } ? K : never }[keyof P];

type Simplify<T> = { [K in keyof T]: T[K] };

/** One block of a result. */
type ContentBlock =
  | { type: "text"; text: string }
  | { type: "image" | "audio"; data: string; mimeType: string }
  | { type: "resource_link"; uri: string; name: string };

/** The return value of a tool: a string, blocks, or either together with data. */
type ToolOutput =
  | string
  | ContentBlock[]
  | { content: string | ContentBlock[]; structuredContent: Record<string, unknown> };

/** One permission that a call needs. Relative paths begin at the working directory. */
type Permission =
  | { name: "read"; path: string }
  | { name: "write"; path: string; directoriesIn?: string }
  | { name: "net"; host: string }
  | { name: "env"; variable: string }
  | { name: "sys"; kind: string };

/** The kinds of permission, named as in the flags: \`--allow-<kind>\`. */
type PermissionKind = Permission["name"];

/** A sample call. \`toolcall try\` runs it. */
interface Example {
  /** The purpose of the call. */
  description: string;
  /** The arguments. \`$ROOT\` in a string is the working directory. */
  input: Record<string, unknown>;
  /** Text that the result contains. */
  expect: string;
  /** Whether the call must fail. */
  isError?: boolean;
}

/** A request of {@link ToolContext.fetch}. */
interface FetchRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
  signal?: AbortSignal;
}

/** The context of one call. */
interface ToolContext {
  /** The real path of the call's working directory. */
  readonly cwd: string;
  /** Aborted when the time limit passes or the call is cancelled. */
  readonly signal: AbortSignal;
  /** The authorised real path of a path that \`needs\` named. Throws for any other path. */
  path(path: string): string;
  /** Whether the call is a background task. */
  readonly background: boolean;
  /** Whether the flags let this call read \`path\`. */
  mayRead(path: string): boolean;
  /** Whether the flags let this call write \`path\`. */
  mayWrite(path: string): boolean;
  /** Sends a request to a host that \`needs\` named. Follows no redirects. */
  fetch(url: string, request?: FetchRequest): Promise<Response>;
  /** Reports the progress of the call in one line. */
  progress(line: string): void;
}

/** A tool: declaration first, behaviour last. One file, one default export. */
interface ToolDefinition<Args = Record<string, unknown>> {
  /** The unique name that models call. */
  name: string;
  /** Other names that call it, unique too. */
  aliases?: readonly string[];
  /** The title for people. */
  title: string;
  /** The description for models. */
  description?: string;
  /** The purpose. */
  category: "code" | "vcs" | "build" | "research" | "publish" | "utility" | "agent" | "mcp";
  /** The strongest thing that it does to the world. */
  sideEffect: "none" | "read_only" | "mutating" | "network" | "blocking" | "spawns";
  /** Whether a change can destroy something. */
  destructive?: boolean;
  /** Whether a second, equal call has no additional effect. */
  idempotent?: boolean;
  /** Whether an agent works without it. */
  optionality: "required" | "optional" | "conditional";
  /** The situations in which to use it. */
  usageHint: string;
  /** JSON Schema 2020-12 of the arguments. */
  inputSchema: object;
  /** JSON Schema 2020-12 of the \`structuredContent\` that every successful call returns. */
  outputSchema?: object;
  /**
   * The rules that a schema cannot express. Returns every problem of the arguments. \`path\` is the
   * JSON pointer to an argument, such as /name.
   */
  rules?(args: Args, cwd: string): readonly { path: string; message: string }[];
  /** Sample calls. */
  examples: readonly Example[];
  /** The permissions. */
  permissions: {
    /** The kinds that the tool can ever use. */
    kinds: readonly PermissionKind[];
    /** Exactly what this call needs. */
    needs(args: Args, cwd: string): Permission[];
  };
  /**
   * Whether the argument \`run_in_background\` makes the call a background task. \`inputSchema\` must
   * have it as a boolean.
   */
  background?: boolean;
  /** The time limit in milliseconds. The default is 30,000. */
  timeoutMs?: number | ((args: Args) => number);
  /** Runs the call. Throws to fail. */
  run(args: Args, ctx: ToolContext): ToolOutput | Promise<ToolOutput>;
}

/** Declares a tool. The types of the arguments follow from \`inputSchema\`. */
declare function defineTool<const S extends object, Args = FromSchema<S>>(
  definition: Omit<ToolDefinition<Args>, "inputSchema"> & { inputSchema: S },
): ToolDefinition<Args>;

/** Makes a tool of a function. It takes any arguments, without validation. */
declare function simpleTool(
  name: string,
  description: string,
  fn: (args: Record<string, unknown>, ctx: ToolContext) => unknown,
  options?: {
    permissions?: {
      kinds: readonly PermissionKind[];
      needs(args: Record<string, unknown>, cwd: string): Permission[];
    };
  },
): ToolDefinition;

export { defineTool, simpleTool };
export type {
  ContentBlock,
  Example,
  FetchRequest,
  FromSchema,
  Permission,
  PermissionKind,
  ToolContext,
  ToolDefinition,
  ToolOutput,
};
`;
