// Written from tools/read.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./read.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "Read",
  "aliases": [
    "FileRead"
  ],
  "title": "Read file",
  "description": "Reads a file. Text is returned with line numbers: up to 2,000 lines by default and 50 KiB, lines truncated at 2,000 characters. If there is more, the result gives the offset to continue. Images (PNG, JPEG, GIF, WebP, up to 64 MiB) are returned as images, scaled down above 3.75 MiB or 8,000 pixels. Notebooks (.ipynb) are returned as cells with outputs; offset and limit count cells. PDFs (up to 64 MiB) are returned as text; use pages, required above 10 pages. Other binary files, directories, pipes and devices are rejected. A missing file's error suggests similar names.",
  "category": "code",
  "sideEffect": "read_only",
  "idempotent": true,
  "bounded": true,
  "optionality": "required",
  "usageHint": "To see a file before editing it, or to view an image, a notebook or a PDF",
  "inputSchema": {
    "type": "object",
    "properties": {
      "file_path": {
        "type": "string",
        "description": "Absolute path of the file. ~ and variables are not expanded.",
        "pattern": "^/"
      },
      "offset": {
        "type": "integer",
        "description": "The first line to show, from 1 (notebooks: the first cell).",
        "minimum": 1,
        "default": 1
      },
      "limit": {
        "type": "integer",
        "description": "The maximum number of lines (notebooks: cells).",
        "minimum": 1,
        "default": 2000
      },
      "pages": {
        "type": "string",
        "description": "PDF pages, such as 3 or 1-5 (maximum 20). Ignored for other files.",
        "pattern": "^[0-9]+(-[0-9]+)?$"
      },
      "allow_large": {
        "type": "boolean",
        "description": "Returns up to 256 KiB of text, and all lines if limit is not given."
      }
    },
    "required": [
      "file_path"
    ],
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "Read a text file",
      "input": {
        "file_path": "$ROOT/hello.txt"
      },
      "expect": "     1\tHello"
    },
    {
      "description": "Read only the second line",
      "input": {
        "file_path": "$ROOT/src/math.ts",
        "offset": 2,
        "limit": 1
      },
      "expect": "To continue: offset 3"
    },
    {
      "description": "Read a notebook",
      "input": {
        "file_path": "$ROOT/analysis.ipynb"
      },
      "expect": "Cell 2 (code, id \"sum\", executed as [1])"
    },
    {
      "description": "Look at an image",
      "input": {
        "file_path": "$ROOT/logo.png"
      },
      "expect": "[PNG image"
    },
    {
      "description": "Read the second page of a PDF",
      "input": {
        "file_path": "$ROOT/report.pdf",
        "pages": "2"
      },
      "expect": "[Page 2 of 2]\nWhat comes next"
    },
    {
      "description": "A misspelt name gets suggestions",
      "input": {
        "file_path": "$ROOT/helo.txt"
      },
      "flags": [
        "--allow-read=$ROOT"
      ],
      "expect": "hello.txt",
      "isError": true
    }
  ],
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
  return (await import("../read.ts")).default as ToolDefinition;
}
