// Written from tools/fs_list.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./fs_list.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "fs.list",
  "aliases": [
    "fs_list"
  ],
  "title": "List folder",
  "description": "Lists the names in one folder below the root, one a line and sorted, hidden ones too: a folder ends in /, a symbolic link in @. At most 1,000 names, then the count of the rest. Does not look into subfolders",
  "category": "code",
  "sideEffect": "read_only",
  "idempotent": true,
  "bounded": true,
  "optionality": "required",
  "usageHint": "To see what a folder of the repository holds",
  "inputSchema": {
    "type": "object",
    "properties": {
      "path": {
        "type": "string",
        "description": "Folder relative to the root, never absolute and never out of it",
        "pattern": "^[^/]",
        "default": "."
      }
    },
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "List the root",
      "input": {},
      "expect": "src/"
    },
    {
      "description": "List a folder",
      "input": {
        "path": "src"
      },
      "expect": "main.ts\nmath.ts"
    }
  ],
  "requires": [],
  "permissionKinds": [
    "read"
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../fs_list.ts")).default as ToolDefinition;
}
