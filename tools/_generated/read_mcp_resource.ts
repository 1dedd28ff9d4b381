// Written from tools/read_mcp_resource.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./read_mcp_resource.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "ReadMcpResource",
  "title": "Read MCP resource",
  "description": "Reads a resource of a configured MCP server by its address, as listed by ListMcpResources or made from a template. Returns text (up to 100,000 characters, with a note if there is more), images (PNG, JPEG, GIF, WebP), audio, or other data as base64.",
  "category": "mcp",
  "sideEffect": "read_only",
  "idempotent": true,
  "optionality": "conditional",
  "usageHint": "To see the content of an MCP resource",
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
        "description": "The server's name in the configuration.",
        "minLength": 1
      },
      "uri": {
        "type": "string",
        "description": "The resource's address.",
        "minLength": 1
      }
    },
    "required": [
      "server",
      "uri"
    ],
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "Without a configuration, the error tells where servers are named",
      "input": {
        "server": "docs",
        "uri": "docs://readme"
      },
      "expect": "add it under \"mcpServers\" in \"$ROOT/toolcall.json\"",
      "isError": true
    },
    {
      "description": "A page that a template made the address of",
      "input": {
        "server": "notes",
        "uri": "notes://page/2"
      },
      "expect": "Cannot use the MCP server \"notes\": none is configured",
      "isError": true
    }
  ],
  "maxRetries": 2,
  "aliases": [],
  "permissionKinds": [
    "mcp"
  ],
  "permissionSets": [
    [
      "mcp"
    ]
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../read_mcp_resource.ts")).default as ToolDefinition;
}
