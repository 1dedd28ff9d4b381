// Written from tools/grep.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./grep.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "Grep",
  "title": "Search file contents",
  "description": "Searches file contents with a regular expression, using ripgrep's syntax: linear time, no look-around or backreferences. Hidden files are searched. Skips binary files, files that .gitignore (inside a repository), .ignore or .rgignore exclude, version control directories such as .git, and symlinks. A file given as path is always searched. Lists files newest first, lines and counts by path. Shows at most 30,000 characters, and of a line 500 around its first match. When the result is cut, it says which offset shows the rest. Stops after 30 seconds.",
  "category": "code",
  "sideEffect": "read_only",
  "helper": "rg",
  "idempotent": true,
  "optionality": "required",
  "usageHint": "To find where a text or pattern occurs, or which files contain it",
  "inputSchema": {
    "type": "object",
    "properties": {
      "pattern": {
        "type": "string",
        "description": "The regular expression (Rust syntax). Escape literal braces and brackets: func\\(\\)."
      },
      "path": {
        "type": "string",
        "minLength": 1,
        "description": "The file or directory to search. The default is the working directory."
      },
      "glob": {
        "type": "string",
        "description": "Which files to search, such as \"*.ts\" or \"src/**/*.{c,h}\". \"!*.min.js\" excludes files. Separate several globs with commas or blanks. A glob without a slash matches at every depth. One with a slash starts at the working directory, or at path when that lies elsewhere. Files that a glob matches are searched even when they are ignored."
      },
      "type": {
        "type": "string",
        "description": "A file type of ripgrep, such as \"ts\", \"py\", \"rust\", \"md\", or \"all\" for any."
      },
      "output_mode": {
        "type": "string",
        "enum": [
          "files_with_matches",
          "content",
          "count"
        ],
        "default": "files_with_matches",
        "description": "files_with_matches: paths. content: matching lines as path:number:text, context lines as path-number-text. count: path:number of matching lines."
      },
      "-A": {
        "type": "integer",
        "minimum": 0,
        "description": "How many lines to show after each match (content)."
      },
      "-B": {
        "type": "integer",
        "minimum": 0,
        "description": "How many lines to show before each match (content)."
      },
      "-C": {
        "type": "integer",
        "minimum": 0,
        "description": "The same as context."
      },
      "context": {
        "type": "integer",
        "minimum": 0,
        "description": "How many lines to show before and after each match (content). Overrides -C, -A and -B."
      },
      "-n": {
        "type": "boolean",
        "default": true,
        "description": "Show line numbers (content)."
      },
      "-i": {
        "type": "boolean",
        "default": false,
        "description": "Ignore case."
      },
      "-o": {
        "type": "boolean",
        "default": false,
        "description": "Show only the parts of lines that match, one match a line, without empty ones (content)."
      },
      "multiline": {
        "type": "boolean",
        "default": false,
        "description": "A match may span lines, and . matches line ends."
      },
      "head_limit": {
        "type": "integer",
        "minimum": 0,
        "default": 250,
        "description": "How many lines (content) or files to show at most. 0 means no limit."
      },
      "offset": {
        "type": "integer",
        "minimum": 0,
        "default": 0,
        "description": "How many lines (content) or files to skip first."
      }
    },
    "required": [
      "pattern"
    ],
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "Which files hold TODO",
      "input": {
        "pattern": "TODO"
      },
      "expect": "src/math.ts"
    },
    {
      "description": "Show the lines",
      "input": {
        "pattern": "todo: \\w+",
        "path": "$ROOT/src",
        "output_mode": "content",
        "-i": true
      },
      "expect": "/src/math.ts:5:// TODO: subtract"
    },
    {
      "description": "Search across lines, show only what matches",
      "input": {
        "pattern": "add.*?return",
        "multiline": true,
        "output_mode": "content",
        "-o": true
      },
      "expect": "src/math.ts:2:  return"
    },
    {
      "description": "An invalid pattern",
      "input": {
        "pattern": "add("
      },
      "expect": "Invalid pattern \"add(\": unclosed group",
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
  return (await import("../grep.ts")).default as ToolDefinition;
}
