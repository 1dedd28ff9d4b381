// Written from tools/fs_read.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/registry/define.ts";
import type { ToolMetadata, Validator } from "../../src/registry/registry.ts";
import check from "./fs_read.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "fs.read",
  "aliases": [
    "fs_read"
  ],
  "title": "Read file",
  "description": "Reads a text file of the repository",
  "category": "code",
  "sideEffect": "read_only",
  "idempotent": true,
  "optionality": "required",
  "usageHint": "To see a whole file by its path in the repository",
  "inputSchema": {
    "type": "object",
    "properties": {
      "path": {
        "type": "string",
        "description": "Path relative to the root, never absolute",
        "pattern": "^[^/]"
      }
    },
    "required": [
      "path"
    ],
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "Read a file",
      "input": {
        "path": "hello.txt"
      },
      "expect": "Hello"
    }
  ],
  "requires": [],
  "permissionKinds": [
    "read"
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../fs_read.ts")).default as ToolDefinition;
}
