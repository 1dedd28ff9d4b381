import { quote } from "../../base/text/quote.ts";
import type { ContentBlock, ToolOutput } from "../../base/content.ts";
import type { Permission, PermissionKind, ToolDefinition } from "./define.ts";
import type { ToolContext } from "./tool_context.ts";

/** The kinds of permission that a function may declare. Only the built-in tools use MCP servers. */
export type SimpleKind = Exclude<PermissionKind, "mcp">;

/** Options of a simple tool. */
export interface SimpleOptions {
  /** The permissions. Without them, the function has none. */
  permissions?: {
    /** The kinds that it can ever use. */
    kinds: readonly SimpleKind[];
    /** Exactly what this call needs. */
    needs(args: Record<string, unknown>, cwd: string): Permission[];
  };
}

/**
 * Makes a tool of a function without metadata. The tool takes any arguments, without validation,
 * and needs no examples. The value that `fn` returns is the result: a string, a list of content
 * blocks that is not empty, or any other JSON value, which becomes JSON text. The call fails if
 * `fn` throws or returns a value that JSON cannot express. The side effect follows from the kinds
 * of permission.
 *
 * Without `permissions`, the function runs in a thread that can read only the program's own files
 * and has no network, no environment variables and no child processes, even with `-A`. With
 * `permissions`, it gets what the flags allow of the declared kinds. From `net`, it gets only the
 * hosts that `needs` names, and a call that names a host gets no files. A tool that declares `run`
 * is not sandboxed under `-A`, like every tool that starts programs. In a library only a tool of
 * `importTool` is confined.
 *
 * @example
 * ```ts
 * import { simpleTool } from "@toolcall/toolcall";
 *
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
    usageHint: "",
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
  // Its requests may change something.
  if (kinds.includes("net")) return { sideEffect: "network", destructive: true };
  return { sideEffect: kinds.length > 0 ? "read_only" : "none" };
}

function outputOf(value: unknown): ToolOutput {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.length > 0 && value.every(isBlock)) return value;
  const text: string | undefined = JSON.stringify(value);
  if (text !== undefined) return text;
  throw new Error(
    `Cannot give back ${typeof value} as a result: return text, content blocks or a JSON value`,
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

/** Explains the runtime's error about a kind that is not declared. No flag would help. */
function withUndeclaredKind(
  error: unknown,
  name: string,
  kinds: readonly PermissionKind[],
): unknown {
  if (!(error instanceof Deno.errors.NotCapable)) return error;
  const [refused, kind] = error.message.match(/^Requires (\w+) access[^,]*/) ?? [];
  if (kind === undefined || kinds.some((each) => each === kind)) return error;
  return new Deno.errors.NotCapable(
    `${refused}, which the tool ${quote(name)} does not declare: ` +
      `add ${quote(kind)} to its permissions`,
  );
}
