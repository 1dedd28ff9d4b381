// Written from tools/read_mcp_resource_dir.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./read_mcp_resource_dir.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "ReadMcpResourceDir",
  "title": "List an MCP directory",
  "description": "Lists what is directly inside a directory of a configured MCP server: one line for each resource, with address, name and type. The type inode/directory marks a directory. If the server cannot list a directory, the addresses of all its resources are used.",
  "category": "mcp",
  "sideEffect": "read_only",
  "idempotent": true,
  "optionality": "conditional",
  "usageHint": "To browse the resources of an MCP server that are ordered in directories",
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
        "description": "The directory's address.",
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
        "uri": "docs://guide"
      },
      "expect": "add it under \"mcpServers\" in \"$ROOT/toolcall.json\"",
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
  return (await import("../read_mcp_resource_dir.ts")).default as ToolDefinition;
}
