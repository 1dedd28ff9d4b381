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
  "title": "List directory",
  "description": "Lists the names in one directory below the root, sorted, including hidden ones. Directories end in /, symlinks in @. Returns at most 1,000 names, then the number of others. Does not descend into subdirectories.",
  "category": "code",
  "sideEffect": "read_only",
  "idempotent": true,
  "bounded": true,
  "optionality": "required",
  "usageHint": "To see the contents of a directory of the repository",
  "inputSchema": {
    "type": "object",
    "properties": {
      "path": {
        "type": "string",
        "description": "Path relative to the root; must stay inside it.",
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
      "description": "List a directory",
      "input": {
        "path": "src"
      },
      "expect": "main.ts\nmath.ts"
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
  return (await import("../fs_list.ts")).default as ToolDefinition;
}
