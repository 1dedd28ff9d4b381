import type { ToolDefinition } from "../../registry/define.ts";
import type {
  RegisteredTool,
  RegistryEntry,
  ToolMetadata,
} from "../../registry/registered_tool.ts";
import type { Validator } from "../../registry/validator.ts";
import type { ListedTool } from "./listed_tool.ts";
import type { ServerConfig } from "./server_config.ts";

/** A server's tool for the catalogue: it runs by the service `mcp`, and its schema is compiled late. */
export function serverTool(
  { name: server, timeoutMs, startMs }: ServerConfig,
  listed: ListedTool,
): RegistryEntry {
  const { tool, readOnly, openWorld = true, apiName, inputSchema, ...declaration } = listed;
  const { name } = declaration;
  const aliases = apiName === undefined ? [] : [apiName];
  const metadata: ToolMetadata = {
    ...declaration,
    ...{ aliases, category: "mcp", optionality: "conditional" },
    ...{ sideEffect: readOnly ? "read_only" : "mutating", openWorld, inputSchema },
    usageHint: `When the MCP server ${server} is to do it`,
    ...{ uses: ["mcp"], requires: [`MCP server ${server}`], examples: [] },
    permissionKinds: ["mcp"],
  };
  const { aliases: _, requires: __, permissionKinds, ...declared } = metadata;
  const definition: ToolDefinition = {
    ...declared,
    permissions: { kinds: permissionKinds, needs: () => [{ name: "mcp", server }] },
    // The call's own limit begins when the server has started.
    timeoutMs: timeoutMs + startMs,
    run: (args, ctx) => ctx.mcp.call(server, tool, args),
  };
  let compiled: Validator | undefined;
  const validate: Validator = (args) => {
    if (compiled === undefined) throw new Error(`The schema of ${name} is not compiled`);
    const fits = compiled(args);
    validate.errors = compiled.errors ?? null;
    return fits;
  };
  const registered: RegisteredTool = {
    metadata,
    validate,
    async load() {
      const { compileSchema } = await import("./compile_schema.ts");
      compiled ??= await compileSchema(inputSchema, `the arguments of "${name}"`);
      return definition;
    },
  };
  return { name, aliases, load: () => Promise.resolve(registered) };
}
