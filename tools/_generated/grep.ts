// Written from tools/grep.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/registry/define.ts";
import type { ToolMetadata } from "../../src/registry/registered_tool.ts";
import type { Validator } from "../../src/registry/validator.ts";
import check from "./grep.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "Grep",
  "title": "Search file contents",
  "description": "Searches the contents of files with a regular expression, in ripgrep's syntax and with its rules: linear time, no look-around, no backreferences. Leaves out hidden files, binary files, what .gitignore (inside a repository), .ignore and .rgignore name, and never follows symlinks; a file named by path is always searched. Results are sorted by path. Paths are absolute when path is, otherwise relative to the working folder. At most 30,000 characters are shown, and 500 of a line; whatever was left out is said, with the offset that shows the rest. Stops after 30 seconds.",
  "category": "code",
  "sideEffect": "read_only",
  "idempotent": true,
  "optionality": "required",
  "usageHint": "To find where a text or pattern occurs, or which files hold it",
  "inputSchema": {
    "type": "object",
    "properties": {
      "pattern": {
        "type": "string",
        "description": "The regular expression (Rust syntax). Literal braces, brackets and the like are escaped: func\\(\\)"
      },
      "path": {
        "type": "string",
        "minLength": 1,
        "description": "The file or folder to search; the working folder where it is not given"
      },
      "glob": {
        "type": "string",
        "description": "Which files to search, such as \"*.ts\", \"src/**/*.{c,h}\" or, to leave files out, \"!*.min.js\". Without a slash it holds at every depth, with one from the working folder on (from path, when that lies elsewhere). Files it names are searched even when they are ignored or hidden"
      },
      "type": {
        "type": "string",
        "description": "A file type that ripgrep knows, such as \"ts\", \"py\", \"rust\", \"md\"; \"all\" for any"
      },
      "output_mode": {
        "type": "string",
        "enum": [
          "files_with_matches",
          "content",
          "count"
        ],
        "default": "files_with_matches",
        "description": "files_with_matches: the paths; content: the matching lines as path:number:text, context as path-number-text; count: path:number of matching lines"
      },
      "-A": {
        "type": "integer",
        "minimum": 0,
        "description": "Lines to show after a match (content)"
      },
      "-B": {
        "type": "integer",
        "minimum": 0,
        "description": "Lines to show before a match (content)"
      },
      "-C": {
        "type": "integer",
        "minimum": 0,
        "description": "Lines to show before and after a match (content); -A and -B are stronger"
      },
      "-n": {
        "type": "boolean",
        "default": true,
        "description": "Whether to show line numbers (content)"
      },
      "-i": {
        "type": "boolean",
        "default": false,
        "description": "Whether case is ignored"
      },
      "multiline": {
        "type": "boolean",
        "default": false,
        "description": "Whether a match may span lines; . still needs (?s) to match a line end"
      },
      "head_limit": {
        "type": "integer",
        "minimum": 0,
        "description": "How many lines (content) or files to show at most; 0 for no limit of its own"
      },
      "offset": {
        "type": "integer",
        "minimum": 0,
        "default": 0,
        "description": "How many lines (content) or files to skip first"
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
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../grep.ts")).default as ToolDefinition;
}
