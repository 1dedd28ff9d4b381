// Written from tools/shell_exec.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./shell_exec.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "shell.exec",
  "aliases": [
    "shell_exec"
  ],
  "title": "Run a program",
  "category": "build",
  "sideEffect": "spawns",
  "optionality": "optional",
  "usageHint": "When a model calls the local shell of its vendor",
  "inputSchema": {
    "type": "object",
    "properties": {
      "command": {
        "type": "array",
        "description": "The program and its arguments.",
        "items": {
          "type": "string"
        },
        "minItems": 1
      },
      "env": {
        "type": "object",
        "description": "Additional environment variables.",
        "additionalProperties": {
          "type": "string"
        }
      },
      "working_directory": {
        "type": "string",
        "description": "The directory to run it in. Default: the working directory of the call.",
        "minLength": 1
      },
      "timeout_ms": {
        "type": "integer",
        "description": "Time limit in milliseconds. Default 120,000.",
        "minimum": 1,
        "maximum": 7200000
      }
    },
    "required": [
      "command"
    ],
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "Count lines",
      "input": {
        "command": [
          "wc",
          "-l",
          "hello.txt"
        ],
        "timeout_ms": 60000
      },
      "expect": "2 hello.txt",
      "flags": [
        "--allow-run=wc",
        "--allow-read=."
      ]
    },
    {
      "description": "In another directory, with a variable",
      "input": {
        "command": [
          "bash",
          "-c",
          "echo $GREETING; pwd"
        ],
        "env": {
          "GREETING": "Hello"
        },
        "working_directory": "$ROOT"
      },
      "expect": "Hello\n"
    }
  ],
  "requires": [],
  "outputSchema": {
    "type": "object",
    "properties": {
      "output": {
        "type": "array",
        "items": {
          "type": "object",
          "properties": {
            "stdout": {
              "type": "string"
            },
            "stderr": {
              "type": "string"
            },
            "outcome": {
              "type": "object",
              "properties": {
                "type": {
                  "type": "string",
                  "enum": [
                    "exit",
                    "timeout"
                  ]
                },
                "exit_code": {
                  "type": "integer"
                }
              },
              "required": [
                "type"
              ],
              "additionalProperties": false
            }
          },
          "required": [
            "stdout",
            "stderr",
            "outcome"
          ],
          "additionalProperties": false
        }
      }
    },
    "required": [
      "output"
    ],
    "additionalProperties": false
  },
  "permissionKinds": [
    "run",
    "read"
  ],
  "permissionSets": [
    [
      "run"
    ]
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../shell_exec.ts")).default as ToolDefinition;
}
