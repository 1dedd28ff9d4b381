// Written from tools/fs_read.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./fs_read.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "fs.read",
  "aliases": [
    "fs_read"
  ],
  "title": "Read file",
  "description": "Returns a text file (up to 256 KiB) by its path relative to the root. If it is longer, a second block tells how to continue with Read. Rejects binary files, directories, pipes and devices. A missing file's error suggests similar names.",
  "category": "code",
  "sideEffect": "read_only",
  "idempotent": true,
  "bounded": true,
  "optionality": "required",
  "usageHint": "To get a whole text file by its path in the repository, without line numbers",
  "inputSchema": {
    "type": "object",
    "properties": {
      "path": {
        "type": "string",
        "description": "Path relative to the root; must stay inside it.",
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
    },
    {
      "description": "A path that leaves the root is refused",
      "input": {
        "path": "src/../../secret"
      },
      "expect": "it leaves the root",
      "isError": true
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
  return (await import("../fs_read.ts")).default as ToolDefinition;
}
