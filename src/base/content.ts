/** A file or another thing with an address, as an MCP server gives it; a blob is base64. */
export type ResourceContents =
  & { uri: string; mimeType?: string }
  & ({ text: string } | { blob: string });

/** A block of MCP's CallToolResult; data of images and audio is base64. */
export type ContentBlock =
  | { type: "text"; text: string }
  | { type: "image"; data: string; mimeType: string }
  | { type: "audio"; data: string; mimeType: string }
  | {
    type: "resource_link";
    uri: string;
    name: string;
    title?: string;
    description?: string;
    mimeType?: string;
    size?: number;
  }
  | { type: "resource"; resource: ResourceContents };

/** Blocks, and the same as data that the tool's `outputSchema` describes. */
export interface StructuredOutput {
  /** The result for the model. */
  content: string | ContentBlock[];
  /** The same result for programs. */
  structuredContent: Record<string, unknown>;
}

/**
 * A tool's text, with structured data beside it when the caller asked for that. `data` is called
 * only if the caller asked.
 */
export function withDataIfWanted(
  { structured }: { structured: boolean },
  content: string | ContentBlock[],
  data: () => Record<string, unknown>,
): ToolOutput {
  return structured ? { content, structuredContent: data() } : content;
}

/** The return value of a tool: a string, blocks, or either together with data. */
export type ToolOutput = string | ContentBlock[] | StructuredOutput;
