import { iconOf, type McpIcon } from "../icons.ts";
import type { ToolMetadata } from "../../registry/registered_tool.ts";
import { describeForModel } from "./model_description.ts";

/** A tool as MCP's `tools/list` gives it. */
export interface McpTool {
  /** The name to call, as the models' APIs take it. */
  name: string;
  /** The title for people. */
  title: string;
  /** The description with the usage hint, which no field of MCP gives to a model. */
  description: string;
  /** The JSON Schema of its arguments. */
  inputSchema: Record<string, unknown>;
  /** The JSON Schema of its `structuredContent`. */
  outputSchema?: Record<string, unknown>;
  /** Its title once more, for clients of older revisions, and MCP's hints about its behaviour. */
  annotations: Hints & { title: string };
  /** The icon of its category. */
  icons: McpIcon[];
  /** Metadata without a field in MCP. */
  _meta: {
    "toolcall/category": string;
    "toolcall/optionality": string;
    "toolcall/usageHint": string;
    /** Set for required tools. Claude Code loads the definitions of other tools when it needs them. */
    "anthropic/alwaysLoad"?: true;
  };
}

/** MCP's hints. `destructiveHint` is given only where `readOnlyHint` is false. */
export interface Hints {
  /** Whether a call changes nothing. */
  readOnlyHint: boolean;
  /** Whether a change can destroy something. */
  destructiveHint?: boolean;
  /** Whether a second, equal call changes nothing more. */
  idempotentHint?: boolean;
  /** Whether a call reaches what is not known beforehand, such as the Web. */
  openWorldHint: boolean;
}

/** JSON Schemas of what tools return as data, by the tools' names. */
export type OutputSchemas = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A tool for MCP clients, with its name for models' APIs. `outputs` override output schemas. */
export function toMcp(tool: ToolMetadata, name: string, outputs: OutputSchemas = {}): McpTool {
  const outputSchema = Object.hasOwn(outputs, tool.name) ? outputs[tool.name] : tool.outputSchema;
  return {
    name,
    title: tool.title,
    description: describeForModel(tool),
    inputSchema: tool.inputSchema,
    ...(outputSchema && { outputSchema }),
    annotations: { title: tool.title, ...annotationsOf(tool) },
    icons: [iconOf(tool.category)],
    _meta: {
      "toolcall/category": tool.category,
      "toolcall/optionality": tool.optionality,
      "toolcall/usageHint": tool.usageHint,
      ...(tool.optionality === "required" && { "anthropic/alwaysLoad": true }),
    },
  };
}

/**
 * MCP's hints, derived from the tool's side effect. Clients assume the worst for a missing hint, so
 * each hint that matters is given.
 *
 * @see https://modelcontextprotocol.io/specification, "Schema Reference", "ToolAnnotations"
 */
export function annotationsOf(
  { sideEffect, destructive, openWorld, idempotent, permissionKinds = [] }:
    & Pick<ToolMetadata, "sideEffect" | "destructive" | "openWorld" | "idempotent">
    & Partial<Pick<ToolMetadata, "permissionKinds">>,
): Hints {
  const isMutating = sideEffect === "mutating" || sideEffect === "spawns";
  const changes = isMutating || destructive !== undefined;
  const reaches = sideEffect === "network" || sideEffect === "spawns" ||
    isMutating && permissionKinds.includes("net");
  return {
    readOnlyHint: !changes,
    ...(changes && { destructiveHint: destructive ?? true }),
    ...(idempotent !== undefined && { idempotentHint: idempotent }),
    openWorldHint: openWorld ?? reaches,
  };
}
