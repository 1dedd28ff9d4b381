// Written from tools/read_mcp_resource.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./read_mcp_resource.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "ReadMcpResource",
  "title": "Read MCP resource",
  "description": "Reads one resource of a configured MCP server by its address, as ListMcpResources lists it or as a template makes it. Text comes as text, 100,000 characters at most, and the result says when there is more; PNG, JPEG, GIF and WebP images come as images, sound as sound, and other data as an embedded resource in base64",
  "category": "mcp",
  "sideEffect": "read_only",
  "idempotent": true,
  "optionality": "conditional",
  "usageHint": "To see what a resource of an MCP server holds",
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
        "description": "The server's name in the configuration",
        "minLength": 1
      },
      "uri": {
        "type": "string",
        "description": "The address of the resource",
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
      "description": "Without a configuration it says where servers are named",
      "input": {
        "server": "docs",
        "uri": "docs://readme"
      },
      "expect": "name it under \"mcpServers\" in \"$ROOT/toolcall.json\"",
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
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../read_mcp_resource.ts")).default as ToolDefinition;
}
