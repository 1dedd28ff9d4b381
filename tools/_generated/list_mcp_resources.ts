// Written from tools/list_mcp_resources.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./list_mcp_resources.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "ListMcpResources",
  "title": "List MCP resources",
  "description": "Lists the resources of the configured MCP servers: one line each, with server, address, name, type and description. A template is an address with parts in braces. Use ReadMcpResource to read one. Servers that cannot be reached are named at the end.",
  "category": "mcp",
  "sideEffect": "read_only",
  "idempotent": true,
  "optionality": "conditional",
  "usageHint": "To find out which resources MCP servers have, before reading one",
  "uses": [
    "mcp"
  ],
  "requires": [
    "MCP server"
  ],
  "inputSchema": {
    "type": "object",
    "properties": {
      "server": {
        "type": "string",
        "description": "The server's name in the configuration. Default: all allowed servers.",
        "minLength": 1
      }
    },
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "Without a configuration, the error tells where servers are named",
      "input": {},
      "expect": "add it under \"mcpServers\" in \"$ROOT/toolcall.json\"",
      "isError": true
    },
    {
      "description": "A server that is not configured",
      "input": {
        "server": "docs"
      },
      "expect": "Cannot use the MCP server \"docs\": none is configured",
      "isError": true
    }
  ],
  "maxRetries": 2,
  "aliases": [],
  "permissionKinds": [
    "mcp"
  ],
  "permissionSets": [
    []
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../list_mcp_resources.ts")).default as ToolDefinition;
}
