import type { ContentBlock, ToolOutput } from "../../base/content.ts";
import type { Permission, PermissionKind, ToolDefinition } from "./define.ts";
import type { ToolContext } from "./tool_context.ts";

/** The kinds that a function may declare: MCP servers are spoken to by tools of the engine alone. */
export type SimpleKind = Exclude<PermissionKind, "mcp">;

/** What a function may use, and what one call of it uses. */
export interface SimpleOptions {
  /** Without it the function may use nothing. */
  permissions?: {
    /** The kinds that it can ever use. */
    kinds: readonly SimpleKind[];
    /** Exactly what this call needs. */
    needs(args: Record<string, unknown>, cwd: string): Permission[];
  };
}

/**
 * Makes a tool of a function that has no metadata yet. It takes any arguments, which nothing
 * checks, and needs no examples. What `fn` returns is the result: a text, a list of content
 * blocks that is not empty, or any other JSON value, as JSON text; a throw, or a value that JSON
 * cannot say, is a failure. The side effect follows from the kinds of permission.
 *
 * Without `permissions` it may use nothing: it runs in a thread that has no file but the
 * program's own, no network, no variable and no program, whatever the flags, `-A` included.
 * With them it has of the declared kinds what the flags allow, and nothing of the others; of
 * `net` the hosts that `needs` names, and in a call that names one no files. But one that declares
 * `run` runs under `-A` in the program's own thread, held by nothing, as every tool that starts
 * programs does.
 *
 * @example
 * ```ts
 * const add = simpleTool("add", "Adds the numbers a and b", ({ a, b }) => Number(a) + Number(b));
 * console.assert(add.sideEffect === "none");
 * ```
 */
export function simpleTool(
  name: string,
  description: string,
  fn: (args: Record<string, unknown>, ctx: ToolContext) => unknown,
  { permissions = { kinds: [], needs: () => [] } }: SimpleOptions = {},
): ToolDefinition {
  return {
    name,
    title: name,
    description,
    category: "utility",
    ...effectOf(permissions.kinds),
    optionality: "optional",
    usageHint: "For what its description says",
    simple: true,
    inputSchema: { type: "object", additionalProperties: true },
    examples: [],
    permissions,
    async run(args, ctx) {
      try {
        return outputOf(await fn(args, ctx));
      } catch (error) {
        throw withUndeclaredKind(error, name, permissions.kinds);
      }
    },
  };
}

/** The strongest effect that tools of these kinds can have. */
function effectOf(
  kinds: readonly PermissionKind[],
): Pick<ToolDefinition, "sideEffect" | "destructive"> {
  if (kinds.includes("run")) return { sideEffect: "spawns" };
  if (kinds.includes("write")) return { sideEffect: "mutating" };
  // Nothing says that its requests only read.
  if (kinds.includes("net")) return { sideEffect: "network", destructive: true };
  return { sideEffect: kinds.length > 0 ? "read_only" : "none" };
}

function outputOf(value: unknown): ToolOutput {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.length > 0 && value.every(isBlock)) return value;
  const text: string | undefined = JSON.stringify(value);
  if (text !== undefined) return text;
  throw new Error(
    `Cannot give back ${typeof value} as a result: return a text, content blocks or a JSON value`,
  );
}

function isBlock(value: unknown): value is ContentBlock {
  if (typeof value !== "object" || value === null || !("type" in value)) return false;
  const { type, text, data, mimeType, uri, name, resource } = value as Record<string, unknown>;
  if (type === "text") return typeof text === "string";
  if (type === "image" || type === "audio") {
    return typeof data === "string" && typeof mimeType === "string";
  }
  if (type === "resource_link") return typeof uri === "string" && typeof name === "string";
  return type === "resource" && typeof resource === "object" && resource !== null;
}

/** What the runtime refused of a kind that is not declared, no flag would allow. */
function withUndeclaredKind(
  error: unknown,
  name: string,
  kinds: readonly PermissionKind[],
): unknown {
  if (!(error instanceof Deno.errors.NotCapable)) return error;
  const [refused, kind] = error.message.match(/^Requires (\w+) access[^,]*/) ?? [];
  if (kind === undefined || kinds.some((each) => each === kind)) return error;
  return new Deno.errors.NotCapable(
    `${refused}, which the tool ${JSON.stringify(name)} does not declare: ` +
      `add ${JSON.stringify(kind)} to its permissions`,
  );
}
