import type { ToolDefinition } from "./define.ts";
import { metadataOf, type RegisteredTool } from "./registered_tool.ts";
import type { Validator } from "./validator.ts";

/**
 * A tool of a definition that has no generated files. `prepare` runs before the definition is used.
 */
export function definitionTool(
  given: ToolDefinition<never>,
  prepare?: () => Promise<unknown> | undefined,
): RegisteredTool {
  // The validator has checked the arguments before the definition gets them.
  const definition = given as unknown as ToolDefinition;
  let compiled: Validator | undefined;
  const notCompiled = () => {
    throw new Error(`The schema of ${definition.name} is not compiled`);
  };
  return {
    metadata: metadataOf(definition),
    // Nobody can put another validator here.
    get validate() {
      return compiled ?? notCompiled;
    },
    async load() {
      const { compileSchema } = await import("../mcp/client/compile_schema.ts");
      compiled ??= await compileSchema(
        definition.inputSchema as Record<string, unknown>,
        `the arguments of "${definition.name}"`,
        { useDefaults: true },
      );
      await prepare?.();
      return definition;
    },
  };
}
