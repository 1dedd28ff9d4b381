import { isObject } from "../../../base/json/is_object.ts";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { CallError } from "../../../base/errors.ts";
import { quote } from "../../../base/text/quote.ts";
import { blockText } from "../../../base/block_text.ts";
import type { ContentBlock, ToolOutput } from "../../../base/content.ts";
import { escapeControls } from "../../../base/text/escape_controls.ts";
import type { ListedTool } from "./listed_tool.ts";
import { redactData, type Redactor } from "../../../base/text/redact.ts";

/** How many faults of data are told. */
const MAX_FAULTS = 5;

/**
 * What a server's answer to a call is here. Throws `tool_failed` for one that says that it
 * failed, with its blocks.
 */
export async function callOutput(
  result: CallToolResult,
  { server, tool, mask }: { server: string; tool: ListedTool; mask: Redactor },
): Promise<ToolOutput> {
  // What the library lets through besides the fields that are known here is kept.
  const content = result.content as ContentBlock[];
  const { structuredContent } = result as { structuredContent?: unknown };
  if (result.isError === true) {
    const blocks = redactData(content, mask);
    const message = blocks.map((block) => blockText(block)).join("\n").trim() ||
      `${quote(tool.tool)} of the MCP server ${quote(server)} failed and does not say why`;
    const kept = blocks.length > 0 ? blocks : undefined;
    throw new CallError("tool_failed", message, { server, tool: tool.name }, kept);
  }
  const faults = await faultsOf(structuredContent, tool);
  const notes: ContentBlock[] = faults === undefined ? [] : [{ type: "text", text: faults }];
  if (structuredContent === undefined) return [...content, ...notes];
  if (isObject(structuredContent)) return { content: [...content, ...notes], structuredContent };
  // Only an object has a place beside the content.
  return [...content, { type: "text", text: JSON.stringify(structuredContent) }, ...notes];
}

async function faultsOf(data: unknown, tool: ListedTool): Promise<string | undefined> {
  if (tool.outputSchema === undefined) return undefined;
  if (data === undefined) {
    return "[The tool's outputSchema promises structuredContent, and the server gave none]";
  }
  const { compileSchema } = await import("./compile_schema.ts");
  try {
    const validate = await compileSchema(tool.outputSchema, "the structuredContent");
    if (validate(data)) return undefined;
    const faults = (validate.errors ?? []).slice(0, MAX_FAULTS)
      .map(({ instancePath, message }) => `${instancePath || "/"} ${message}`);
    return escapeControls(
      `[structuredContent breaks the tool's outputSchema: ${faults.join("; ")}]`,
    );
  } catch (error) {
    return `[${(error as Error).message}]`;
  }
}
