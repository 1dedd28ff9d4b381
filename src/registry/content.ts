/** A block of MCP's CallToolResult; image data is base64. */
export type ContentBlock =
  | { type: "text"; text: string }
  | { type: "image"; data: string; mimeType: string };
