// Written from tools/edit.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./edit.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "Edit",
  "aliases": [
    "FileEdit"
  ],
  "title": "Edit file",
  "description": "Replaces a text in a file of up to 64 MiB by another. old_string must be in the file character for character, and only once unless replace_all is set; otherwise nothing changes, and the error names the lines where it stands, or the nearest region and what differs, such as only whitespace, quotes or line ends. new_string is taken literally. Both texts may have LF or CRLF line ends; a file's own are kept. An empty old_string creates a missing file with new_string as its content. The file is replaced as a whole and keeps its mode; simultaneous edits of one file wait for each other. The result is a unified diff",
  "category": "code",
  "sideEffect": "mutating",
  "bounded": true,
  "optionality": "required",
  "usageHint": "To change a part of a file that was read before",
  "inputSchema": {
    "type": "object",
    "properties": {
      "file_path": {
        "type": "string",
        "description": "Absolute path of the file; ~ and variables are not expanded",
        "pattern": "^/"
      },
      "old_string": {
        "type": "string",
        "description": "The text to replace, without the line numbers that Read shows; empty to create a missing file"
      },
      "new_string": {
        "type": "string",
        "description": "The text to put there; must differ from old_string"
      },
      "replace_all": {
        "type": "boolean",
        "description": "Replace every occurrence rather than the only one",
        "default": false
      }
    },
    "required": [
      "file_path",
      "old_string",
      "new_string"
    ],
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "Change a word",
      "input": {
        "file_path": "$ROOT/hello.txt",
        "old_string": "Hello",
        "new_string": "Goodbye"
      },
      "expect": "+Goodbye"
    },
    {
      "description": "A text that is not there changes nothing",
      "input": {
        "file_path": "$ROOT/hello.txt",
        "old_string": "hello there",
        "new_string": "x"
      },
      "expect": "old_string is not in the file",
      "isError": true
    }
  ],
  "requires": [],
  "permissionKinds": [
    "read",
    "write"
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../edit.ts")).default as ToolDefinition;
}
