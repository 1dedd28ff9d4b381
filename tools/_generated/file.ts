// Written from tools/file.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./file.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "file",
  "title": "Read, write or list",
  "description": "Reads a text file, writes one, or lists a folder. read: the text unchanged, up to 256 KiB, then how to go on; binary files are refused. write: content becomes the whole file, in UTF-8; the file and its folders are made when they are missing; a reader sees the old file or the new one. list: the names in one folder, sorted, a folder with /, a symbolic link with @; at most 1,000, then the count of the rest. What is missing is answered with near names",
  "category": "code",
  "sideEffect": "mutating",
  "idempotent": true,
  "bounded": true,
  "optionality": "required",
  "usageHint": "For reading, writing and listing files. Always read before modifying",
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
        "description": "The file operation to perform"
      },
      "path": {
        "type": "string",
        "minLength": 1,
        "description": "Path of the file or folder, absolute or relative to the working folder"
      },
      "content": {
        "type": "string",
        "description": "Content to write, for the action write alone"
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
      "description": "List a folder",
      "input": {
        "action": "list",
        "path": "$ROOT"
      },
      "expect": "src/"
    },
    {
      "description": "Write a file in a new folder",
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
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../file.ts")).default as ToolDefinition;
}
