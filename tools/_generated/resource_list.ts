// Written from tools/resource_list.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./resource_list.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "resource.list",
  "aliases": [
    "resource_list"
  ],
  "title": "List resources",
  "category": "mcp",
  "sideEffect": "read_only",
  "helper": "rg",
  "idempotent": true,
  "optionality": "optional",
  "usageHint": "When an MCP client lists the resources",
  "inputSchema": {
    "type": "object",
    "properties": {
      "places": {
        "type": "array",
        "description": "The absolute paths of directories and files.",
        "items": {
          "type": "string",
          "pattern": "^/"
        },
        "maxItems": 100
      },
      "after": {
        "type": "string",
        "description": "The page begins after this file: address."
      },
      "limit": {
        "type": "integer",
        "description": "The most files of a page.",
        "minimum": 1,
        "maximum": 1000,
        "default": 100
      }
    },
    "required": [
      "places"
    ],
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "All files",
      "input": {
        "places": [
          "$ROOT"
        ]
      },
      "expect": "/hello.txt"
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
  return (await import("../resource_list.ts")).default as ToolDefinition;
}
