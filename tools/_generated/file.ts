// Written from tools/file.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./file.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "file",
  "title": "Read, write or list",
  "description": "Reads or writes a text file, or lists a directory. read: the text unchanged, up to 256 KiB, then how to continue; binary files are rejected. write: replaces the whole file, in UTF-8, and creates missing directories; the write is atomic. list: the names in one directory, sorted; directories end in /, symlinks in @; at most 1,000, then the number of others. A missing file's error suggests similar names.",
  "category": "code",
  "sideEffect": "mutating",
  "idempotent": true,
  "bounded": true,
  "optionality": "required",
  "usageHint": "To read, write and list files. Always read before modifying",
  "inputSchema": {
    "type": "object",
    "properties": {
      "action": {
        "type": "string",
        "enum": [
          "read",
          "write",
          "list"
        ],
        "description": "The action."
      },
      "path": {
        "type": "string",
        "minLength": 1,
        "description": "Path of the file or directory, absolute or relative to the working directory."
      },
      "content": {
        "type": "string",
        "description": "The content to write. Only for write."
      }
    },
    "required": [
      "action",
      "path"
    ],
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "Read a file",
      "input": {
        "action": "read",
        "path": "hello.txt"
      },
      "expect": "Hello"
    },
    {
      "description": "List a directory",
      "input": {
        "action": "list",
        "path": "$ROOT"
      },
      "expect": "src/"
    },
    {
      "description": "Write a file in a new directory",
      "input": {
        "action": "write",
        "path": "docs/new.md",
        "content": "# New\n"
      },
      "expect": "Created \"docs/new.md\" (1 line)"
    },
    {
      "description": "A text to write is not for reading",
      "input": {
        "action": "read",
        "path": "hello.txt",
        "content": "x"
      },
      "expect": "content is for the action write",
      "isError": true
    }
  ],
  "aliases": [],
  "requires": [],
  "permissionKinds": [
    "read",
    "write"
  ],
  "permissionSets": [
    [
      "read"
    ],
    [
      "write"
    ]
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../file.ts")).default as ToolDefinition;
}
