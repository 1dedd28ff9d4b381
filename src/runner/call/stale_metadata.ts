import { CallError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import type { ToolDefinition } from "../registry/define.ts";
import { metadataOf, type RegisteredTool } from "../registry/registered_tool.ts";

/**
 * Throws `unavailable` if the declaration in a tool's source differs from the generated one, whose
 * schema checks the arguments. For a program that runs from its sources.
 */
export function refuseStaleMetadata(
  { metadata }: RegisteredTool,
  definition: ToolDefinition,
): void {
  const { name } = metadata;
  // The tools of MCP servers are not generated.
  if (name.startsWith("mcp__")) return;
  if (JSON.stringify(metadataOf(definition)) === JSON.stringify(metadata)) return;
  throw new CallError(
    "unavailable",
    `Cannot use the tool ${quote(name)}: its declaration has changed; run "deno task generate"`,
    { tool: name },
  );
}
