// Written from tools/write.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./write.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "Write",
  "aliases": [
    "FileWrite"
  ],
  "title": "Write file",
  "description": "Writes a text file in UTF-8, replacing any existing content. Creates missing directories. The write is atomic, except for a file of another user, which is written in place. An existing file keeps its mode, owner and attributes; other hard links keep the old content. Symlinks are followed. Directories, pipes and devices are rejected. Returns whether the file was created or overwritten, and its number of lines.",
  "category": "code",
  "sideEffect": "mutating",
  "idempotent": true,
  "bounded": true,
  "optionality": "required",
  "usageHint": "To create a file or rewrite it completely; use Edit to change a part",
  "inputSchema": {
    "type": "object",
    "properties": {
      "file_path": {
        "type": "string",
        "description": "Absolute path of the file. ~ and variables are not expanded.",
        "pattern": "^/"
      },
      "content": {
        "type": "string",
        "description": "The complete new content, written exactly as given."
      }
    },
    "required": [
      "file_path",
      "content"
    ],
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "Create a file in a new directory",
      "input": {
        "file_path": "$ROOT/new/list.txt",
        "content": "one\ntwo\n"
      },
      "expect": "(2 lines)"
    },
    {
      "description": "Rewrite a file",
      "input": {
        "file_path": "$ROOT/notes.md",
        "content": "# Notes\n"
      },
      "expect": "Overwrote"
    },
    {
      "description": "A directory is not replaced",
      "input": {
        "file_path": "$ROOT/src",
        "content": ""
      },
      "expect": "it is a directory",
      "isError": true
    }
  ],
  "requires": [],
  "permissionKinds": [
    "write"
  ],
  "permissionSets": [
    [
      "write"
    ]
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../write.ts")).default as ToolDefinition;
}
