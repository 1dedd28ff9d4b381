import type { ToolDefinition } from "./define.ts";
import { metadataOf, type RegisteredTool, type RegistryEntry } from "./registered_tool.ts";
import type { Validator } from "./validator.ts";

/**
 * Makes a registry entry of a definition. The schema is compiled when the first call needs it. A
 * call fails with `unavailable` if the schema cannot be compiled.
 *
 * @example
 * ```ts
 * import { entryOf, Registry, simpleTool } from "@toolcall/toolcall";
 *
 * const registry = new Registry();
 * registry.register(entryOf(simpleTool("add", "Adds a and b.", ({ a, b }) => Number(a) + Number(b))));
 * if (!registry.has("add")) throw new Error("The tool is missing");
 * ```
 */
export function entryOf(definition: ToolDefinition<never>): RegistryEntry {
  const { name, aliases = [], offered, sideEffect, requires = [] } = definition;
  let tool: RegisteredTool | undefined;
  const load = () => Promise.resolve(tool ??= registeredTool(definition));
  return { name, aliases, ...(offered && { offered }), sideEffect, requires, load };
}

/**
 * A tool of a definition that has no generated files. `prepare` runs before the definition is used.
 */
export function registeredTool(
  given: ToolDefinition<never>,
  prepare?: () => Promise<unknown> | undefined,
): RegisteredTool {
  // The validator has checked the arguments before the definition gets them.
  const definition = given as unknown as ToolDefinition;
  let compiled: Validator | undefined;
  const registered: RegisteredTool = {
    metadata: metadataOf(definition),
    validate() {
      throw new Error(`The schema of ${definition.name} is not compiled`);
    },
    async load() {
      const { compileSchema } = await import("../mcp/client/compile_schema.ts");
      compiled ??= await compileSchema(
        definition.inputSchema as Record<string, unknown>,
        `the arguments of "${definition.name}"`,
        { useDefaults: true },
      );
      registered.validate = compiled;
      await prepare?.();
      return definition;
    },
  };
  return registered;
}
