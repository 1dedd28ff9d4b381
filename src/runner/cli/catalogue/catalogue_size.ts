import type { ToolMetadata } from "../../registry/registered_tool.ts";
import type { Registry } from "../../registry/registry.ts";
import { toMcp } from "../../schema/definitions/mcp.ts";

/** The usual number of characters in a token of a model. */
const CHARACTERS_PER_TOKEN = 4;

/** The size of the definitions that an MCP client gives to its model. `tokens` is an estimate. */
export function catalogueSize(
  tools: readonly ToolMetadata[],
  registry: Registry,
): { characters: number; tokens: number } {
  const names = registry.namesForApis();
  const { length } = JSON.stringify(
    tools.map((tool) => ({ ...toMcp(tool, names.get(tool.name)!), icons: undefined })),
  );
  return { characters: length, tokens: Math.ceil(length / CHARACTERS_PER_TOKEN) };
}
