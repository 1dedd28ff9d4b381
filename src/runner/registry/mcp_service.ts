import type { ResourceContents, ToolOutput } from "../../base/content.ts";

/** A resource of an MCP server, or a template of such. */
export interface McpResource {
  /** The server. */
  server: string;
  /** Its address, or what addresses are made of (RFC 6570). */
  uri: string;
  /** Whether `uri` is a template. */
  isTemplate: boolean;
  /** Its name. */
  name: string;
  /** The description. */
  description?: string;
  /** Its type. */
  mimeType?: string;
}

/** The resources of MCP servers. */
export interface McpResources {
  /** The resources and templates. */
  resources: McpResource[];
  /** Notes on servers without an answer and on resources that were left out. */
  notes: string[];
}

/** The MCP servers that the configuration names. Each throws `unavailable` for one that does not answer. */
export interface Mcp {
  /** Calls a tool of a server. Throws `tool_failed` for an answer that is an error. */
  call(server: string, tool: string, args: Record<string, unknown>): Promise<ToolOutput>;
  /** The resources of a server, or of all that the flags grant. Throws for one that is not configured. */
  resources(server?: string): Promise<McpResources>;
  /** The contents of one resource. */
  read(server: string, uri: string): Promise<ResourceContents[]>;
  /** The resources and directories directly inside a directory of a server. */
  directory(server: string, uri: string): Promise<McpResources>;
}
