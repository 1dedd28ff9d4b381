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
  "description": "Makes a text the whole content of a file, in UTF-8, and makes the file and its folders when they are missing. A reader sees the old file or the new one, never a part, also when the call is killed. An existing file keeps its mode; it is replaced by a new one of the same name, so other hard links to it keep the old content. A symbolic link is followed. Folders, pipes and devices are refused. Says whether the file was created or overwritten, and its number of lines",
  "category": "code",
  "sideEffect": "mutating",
  "idempotent": true,
  "bounded": true,
  "optionality": "required",
  "usageHint": "To make a new file or to rewrite one completely; for a change within a file, Edit",
  "inputSchema": {
    "type": "object",
    "properties": {
      "file_path": {
        "type": "string",
        "description": "Absolute path of the file; ~ and variables are not expanded",
        "pattern": "^/"
      },
      "content": {
        "type": "string",
        "description": "The whole new content, written exactly as given"
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
      "description": "Make a file in a new folder",
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
      "description": "A folder is not replaced",
      "input": {
        "file_path": "$ROOT/src",
        "content": ""
      },
      "expect": "it is a folder",
      "isError": true
    }
  ],
  "requires": [],
  "permissionKinds": [
    "write"
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../write.ts")).default as ToolDefinition;
}
