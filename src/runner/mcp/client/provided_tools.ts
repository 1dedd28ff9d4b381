import type { ToolOutput } from "../../../base/content.ts";
import { quote } from "../../../base/text/quote.ts";
import type { ToolDefinition } from "../../registry/define.ts";
import type {
  RegisteredTool,
  RegistryEntry,
  ToolMetadata,
} from "../../registry/registered_tool.ts";
import type { Registry } from "../../registry/registry.ts";
import { ToolExistsError } from "../../registry/registry_errors.ts";
import type { Validator } from "../../registry/validator.ts";
import type { ListedTool } from "./listed_tool.ts";
import { MAX_EXTENSIONS } from "./progress_limit.ts";
import type { ServerConfig } from "./server_config.ts";

/** The tools of one server in the catalogue. */
export class ProvidedTools {
  #registry: Registry | undefined;
  /** The listing that each tool was added with, as JSON. */
  #listings = new Map<string, string>();

  /** Takes the server. */
  constructor(readonly server: ServerConfig) {}

  /** Sets the catalogue that {@link update} changes. */
  attach(registry: Registry): void {
    this.#registry = registry;
  }

  /**
   * Updates the catalogue to the server's list: removes tools that are gone or have changed, and
   * adds new ones. Returns a message for each tool that could not be added.
   */
  update(tools: readonly ListedTool[]): string[] {
    const registry = this.#registry;
    if (registry === undefined) return [];
    const now = new Map(tools.map((tool) => [tool.name, tool]));
    for (const [name, listing] of this.#listings) {
      if (JSON.stringify(now.get(name)) === listing) continue;
      registry.unregister(name);
      this.#listings.delete(name);
    }
    return tools.flatMap((tool) => this.#listings.has(tool.name) ? [] : this.#add(registry, tool));
  }

  #add(registry: Registry, tool: ListedTool): string[] {
    try {
      registry.register(serverTool(this.server, tool));
      this.#listings.set(tool.name, JSON.stringify(tool));
      return [];
    } catch (error) {
      if (!(error instanceof ToolExistsError)) throw error;
      return [`the tool ${quote(tool.name)} is omitted: the name is already used`];
    }
  }
}

/** The most parts of a schema that a note names. */
const MAX_PARTS = 3;

function withNote(output: ToolOutput, note: string): ToolOutput {
  if (typeof output === "string") return `${output}\n${note}`;
  const block = { type: "text" as const, text: note };
  if (Array.isArray(output)) return [...output, block];
  const { content } = output;
  const noted = typeof content === "string" ? `${content}\n${note}` : [...content, block];
  return { ...output, content: noted };
}

/** Describes a server's tool for the catalogue. Its schema is compiled when the tool is loaded. */
function serverTool(
  { name: server, timeoutMs, startMs }: ServerConfig,
  listed: ListedTool,
): RegistryEntry {
  const {
    tool,
    readOnly,
    openWorld = true,
    apiName,
    inputSchema,
    runsAsTask: _task,
    ...declaration
  } = listed;
  const { name } = declaration;
  const aliases = apiName === undefined ? [] : [apiName];
  const metadata: ToolMetadata = {
    ...declaration,
    ...{ aliases, category: "mcp", optionality: "conditional" },
    ...{ sideEffect: readOnly ? "read_only" : "mutating", openWorld, inputSchema },
    usageHint: "",
    ...{ uses: ["mcp"], requires: [`MCP server ${server}`], examples: [] },
    permissionKinds: ["mcp"],
  };
  const { aliases: _, requires: __, permissionKinds, ...declared } = metadata;
  const definition: ToolDefinition = {
    ...declared,
    permissions: { kinds: permissionKinds, needs: () => [{ name: "mcp", server }] },
    // The timeout of the call itself begins after the server has started, and again with progress.
    timeoutMs: timeoutMs * MAX_EXTENSIONS + startMs,
    async run(args, ctx) {
      const output = await ctx.mcp.call(server, tool, args);
      const note = unchecked;
      unchecked = undefined;
      return note === undefined ? output : withNote(output, note);
    },
  };
  /** The note for the next result. */
  let unchecked: string | undefined;
  let compiled: Validator | undefined;
  const registered: RegisteredTool = {
    metadata,
    validate() {
      throw new Error(`The schema of ${name} is not compiled`);
    },
    async load() {
      const { compileSchema } = await import("./compile_schema.ts");
      compiled ??= await compileSchema(inputSchema, `the arguments of "${name}"`, {
        onUnchecked(parts) {
          const shown = parts.slice(0, MAX_PARTS).join("; ");
          const more = parts.length > MAX_PARTS ? "; …" : "";
          unchecked = `[toolcall did not check all arguments of ${name} before it called the ` +
            `MCP server ${quote(server)}, because the tool's schema has mistakes: ${shown}${more}]`;
        },
      });
      registered.validate = compiled;
      return definition;
    },
  };
  return { name, aliases, load: () => Promise.resolve(registered) };
}
