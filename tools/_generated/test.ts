// Written from tools/test.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./test.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "test",
  "title": "Run the tests",
  "description": "Runs the tests of the project in a folder, by what its files say: deno.json, package.json, Cargo.toml, go.mod, pyproject.toml and the like (pytest), Makefile. The result names the command; a failure its exit code, the tests that failed, as far as the runner is known, and the end of the output. Of more than 12,000 characters the head and the tail are returned and the whole is kept in a file. Nothing can be typed into it",
  "category": "build",
  "sideEffect": "spawns",
  "optionality": "optional",
  "usageHint": "To see whether a project's tests pass, after a change of its code",
  "requires": [
    "bash"
  ],
  "inputSchema": {
    "type": "object",
    "properties": {
      "path": {
        "type": "string",
        "minLength": 1,
        "default": ".",
        "description": "The project's folder, absolute or relative to the working folder"
      },
      "runner": {
        "type": "string",
        "enum": [
          "deno",
          "node",
          "cargo",
          "go",
          "python",
          "make"
        ],
        "description": "What runs them, where the folder has more than one; the first of this list"
      },
      "timeout": {
        "type": "integer",
        "description": "The time limit in milliseconds",
        "minimum": 1,
        "maximum": 600000,
        "default": 600000
      }
    },
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "Run the tests of a project",
      "input": {
        "path": "$ROOT/project"
      },
      "flags": [
        "--allow-all"
      ],
      "expect": "2 passed"
    },
    {
      "description": "A folder that says nothing of tests",
      "input": {
        "path": "src"
      },
      "expect": "no file of it says how",
      "isError": true
    }
  ],
  "aliases": [],
  "permissionKinds": [
    "run",
    "read"
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../test.ts")).default as ToolDefinition;
}
