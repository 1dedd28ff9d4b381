// Written from tools/glob.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./glob.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "Glob",
  "title": "Find files by name",
  "description": "Lists the files whose path matches a glob, as absolute paths, newest first. Lists at most 100 and counts the rest. * matches within one name. ** as a whole component matches through directories: \"*.ts\" matches only directly in path, \"**/*.ts\" at every depth. Hidden files match like others. Version control directories are searched only when the pattern names them (.git/*). Files that .gitignore, .ignore or .rgignore exclude are listed only when the pattern begins with their path (dist/**, debug.log). Never leaves path or follows symlinked directories.",
  "category": "code",
  "sideEffect": "read_only",
  "helper": "rg",
  "idempotent": true,
  "optionality": "required",
  "usageHint": "To find files when their name or place is partly known",
  "inputSchema": {
    "type": "object",
    "properties": {
      "pattern": {
        "type": "string",
        "minLength": 1,
        "description": "The glob, relative to path: *, ?, **, [a-z], [!a], {ts,tsx}, and \\ to escape. At most 4,096 characters, without .. as a component."
      },
      "path": {
        "type": "string",
        "minLength": 1,
        "description": "The directory to search. The default is the working directory."
      }
    },
    "required": [
      "pattern"
    ],
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "All TypeScript files",
      "input": {
        "pattern": "**/*.ts"
      },
      "expect": "/src/math.ts"
    },
    {
      "description": "In one directory, two extensions",
      "input": {
        "pattern": "*.{md,txt}",
        "path": "$ROOT"
      },
      "expect": "/hello.txt"
    },
    {
      "description": "An ignored file by its name",
      "input": {
        "pattern": "build/*"
      },
      "expect": "/build/out.js"
    },
    {
      "description": "A pattern that leaves the directory",
      "input": {
        "pattern": "../*"
      },
      "expect": "it leaves the directory",
      "isError": true
    }
  ],
  "aliases": [],
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
  return (await import("../glob.ts")).default as ToolDefinition;
}
