// Written from tools/glob.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/registry/define.ts";
import type { ToolMetadata } from "../../src/registry/registered_tool.ts";
import type { Validator } from "../../src/registry/validator.ts";
import check from "./glob.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "Glob",
  "title": "Find files by name",
  "description": "Lists the files whose path matches a glob, as absolute paths, the one changed last first. At most 100 are listed, with a count of the rest. A * stays within one name, ** as a whole component goes through folders, so \"*.ts\" matches in path alone and \"**/*.ts\" at every depth. Names that begin with a dot match only where the pattern writes the dot (.github/**, **/.env). What .gitignore, .ignore and .rgignore leave out is not listed, unless the pattern names it outright (dist/**, debug.log). Never leaves path, and does not go into symlinked folders.",
  "category": "code",
  "sideEffect": "read_only",
  "idempotent": true,
  "optionality": "required",
  "usageHint": "To find files when their name or place is known in part",
  "inputSchema": {
    "type": "object",
    "properties": {
      "pattern": {
        "type": "string",
        "minLength": 1,
        "description": "The glob, relative to path: *, ?, **, [a-z], [!a], {ts,tsx}, and \\ to escape. At most 4,096 characters; .. is refused"
      },
      "path": {
        "type": "string",
        "minLength": 1,
        "description": "The folder to look in; the working folder where it is not given"
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
      "description": "In one folder, two endings",
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
      "description": "A pattern that leaves the folder",
      "input": {
        "pattern": "../*"
      },
      "expect": "it leaves the folder",
      "isError": true
    }
  ],
  "aliases": [],
  "requires": [],
  "permissionKinds": [
    "read"
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../glob.ts")).default as ToolDefinition;
}
