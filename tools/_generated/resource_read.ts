// Written from tools/resource_read.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./resource_read.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "resource.read",
  "aliases": [
    "resource_read"
  ],
  "title": "Read resource",
  "category": "mcp",
  "sideEffect": "read_only",
  "idempotent": true,
  "bounded": true,
  "optionality": "optional",
  "usageHint": "When an MCP client reads a resource",
  "inputSchema": {
    "type": "object",
    "properties": {
      "uri": {
        "type": "string",
        "description": "The file: address of the file."
      }
    },
    "required": [
      "uri"
    ],
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "Another scheme is refused",
      "input": {
        "uri": "https://example.com/"
      },
      "expect": "it does not begin with file:///",
      "isError": true
    },
    {
      "description": "A file",
      "input": {
        "uri": "file://$ROOT/hello.txt"
      },
      "expect": "Hello"
    }
  ],
  "requires": [],
  "permissionKinds": [
    "read"
  ],
  "permissionSets": [
    [
      "read"
    ]
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../resource_read.ts")).default as ToolDefinition;
}
