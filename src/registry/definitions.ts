import type { ToolMetadata } from "./registered_tool.ts";

/** A tool as MCP's `tools/list` gives it. */
export interface McpTool {
  /** The name to call. */
  name: string;
  /** A short name for people. */
  title: string;
  /** What it does. */
  description: string;
  /** The JSON Schema of its arguments. */
  inputSchema: Record<string, unknown>;
  /** The JSON Schema of its `structuredContent`. */
  outputSchema?: Record<string, unknown>;
  /** MCP's hints about its behaviour. */
  annotations: Record<string, boolean>;
}

/** The definition of a tool for an MCP client. */
export function toMcp(tool: ToolMetadata): McpTool {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description ?? "",
    inputSchema: tool.inputSchema,
    ...(tool.outputSchema && { outputSchema: tool.outputSchema }),
    annotations: annotationsOf(tool),
  };
}

/** MCP's hints, as the tool's side effect implies them; a hint that is not given is not known. */
export function annotationsOf(
  { sideEffect, idempotent }: Pick<ToolMetadata, "sideEffect" | "idempotent">,
): Record<string, boolean> {
  const hints: Record<string, boolean> = {};
  if (sideEffect === "none" || sideEffect === "read_only") {
    hints["readOnlyHint"] = true;
  }
  if (sideEffect === "mutating" || sideEffect === "spawns") {
    hints["destructiveHint"] = true;
  }
  if (sideEffect === "network") hints["openWorldHint"] = true;
  if (idempotent !== undefined) hints["idempotentHint"] = idempotent;
  return hints;
}
