// Written from tools/shell_run.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./shell_run.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "shell.run",
  "aliases": [
    "shell_run"
  ],
  "title": "Run shell commands",
  "category": "build",
  "sideEffect": "spawns",
  "optionality": "optional",
  "usageHint": "When a model calls the shell of its vendor",
  "requires": [
    "bash"
  ],
  "inputSchema": {
    "type": "object",
    "properties": {
      "commands": {
        "type": "array",
        "description": "The commands, in bash syntax. They run one after the other.",
        "items": {
          "type": "string",
          "minLength": 1
        },
        "minItems": 1,
        "maxItems": 100
      },
      "timeout_ms": {
        "type": "integer",
        "description": "Time limit of all commands together, in milliseconds. Default 120,000.",
        "minimum": 1,
        "maximum": 7200000
      },
      "max_output_length": {
        "type": "integer",
        "description": "The most characters of each command's output. Default 30,000.",
        "minimum": 0,
        "maximum": 1000000
      }
    },
    "required": [
      "commands"
    ],
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "A command that fails does not stop the next one",
      "input": {
        "commands": [
          "wc -l < hello.txt; exit 3",
          "echo second"
        ],
        "timeout_ms": 60000
      },
      "expect": "Exit code 3\nsecond",
      "flags": [
        "--allow-run=bash,wc",
        "--allow-read=."
      ]
    },
    {
      "description": "Cut the output",
      "input": {
        "commands": [
          "echo abcdef"
        ],
        "max_output_length": 3
      },
      "expect": "abc"
    }
  ],
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
    "run"
  ],
  "permissionSets": [
    [
      "run"
    ]
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../shell_run.ts")).default as ToolDefinition;
}
