// Written from tools/search.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./search.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "search",
  "title": "Search code",
  "description": "Finds the lines that contain a text in a file or in the files below a directory. Shows them as path:number:line, and lines around them as path-number-line, sorted by path. The text is literal unless regex is set (Rust syntax, no look-around). Skips binary files, files that .gitignore, .ignore or .rgignore exclude, version control directories such as .git, and symlinks. Hidden files are searched. When the result is cut, it says which offset shows the rest. Stops after 30 seconds.",
  "category": "code",
  "sideEffect": "read_only",
  "helper": "rg",
  "idempotent": true,
  "optionality": "required",
  "usageHint": "To find where a name or a text occurs in the code, with the lines themselves",
  "inputSchema": {
    "type": "object",
    "properties": {
      "query": {
        "type": "string",
        "minLength": 1,
        "description": "The text. With regex, the pattern."
      },
      "path": {
        "type": "string",
        "minLength": 1,
        "description": "The file or directory to search. The default is the working directory."
      },
      "glob": {
        "type": "string",
        "minLength": 1,
        "description": "Which files to search, such as \"*.ts\" or \"src/**/*.{c,h}\". \"!*.md\" excludes files. Separate several globs with commas or blanks."
      },
      "regex": {
        "type": "boolean",
        "default": false,
        "description": "Whether query is a regular expression."
      },
      "ignore_case": {
        "type": "boolean",
        "default": false,
        "description": "Whether to ignore case."
      },
      "context": {
        "type": "integer",
        "minimum": 0,
        "maximum": 100,
        "default": 0,
        "description": "How many lines to show before and after each match."
      },
      "limit": {
        "type": "integer",
        "minimum": 1,
        "default": 200,
        "description": "How many lines to show at most, context lines included."
      },
      "offset": {
        "type": "integer",
        "minimum": 0,
        "default": 0,
        "description": "How many lines to skip first."
      }
    },
    "required": [
      "query"
    ],
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "Find a call",
      "input": {
        "query": "add(a"
      },
      "expect": "src/math.ts:1:export"
    },
    {
      "description": "Find a pattern, with a line around it",
      "input": {
        "query": "todo: \\w+",
        "path": "src",
        "regex": true,
        "ignore_case": true,
        "context": 1
      },
      "expect": "src/math.ts-4-\nsrc/math.ts:5:// TODO: subtract"
    },
    {
      "description": "An invalid pattern",
      "input": {
        "query": "add(",
        "regex": true
      },
      "expect": "unclosed group",
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
  return (await import("../search.ts")).default as ToolDefinition;
}
