// Written from tools/test.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./test.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "test",
  "title": "Run the tests",
  "description": "Runs a project's tests, as its files suggest: deno.json, package.json, Cargo.toml, go.mod, pyproject.toml and similar (pytest), Makefile. Returns the command. A failure includes the exit code, the failed tests if the runner is known, and the end of the output. Output over 12,000 characters is truncated in the middle; the full text is saved to a file. There is no input.",
  "category": "build",
  "sideEffect": "spawns",
  "optionality": "optional",
  "usageHint": "To check whether a project's tests pass after a change",
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
        "description": "The project's directory, absolute or relative to the working directory."
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
        "description": "The test runner, if the directory has more than one. Default: the first of this list."
      },
      "timeout": {
        "type": "integer",
        "description": "The time limit in milliseconds.",
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
      "description": "A directory without tests",
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
  ],
  "permissionSets": [
    [
      "read",
      "run"
    ]
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../test.ts")).default as ToolDefinition;
}
