// Written from tools/monitor.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./monitor.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "Monitor",
  "title": "Watch a command",
  "description": "Starts a command in the background and returns a task_id immediately. Each line that it prints to stdout is an event. TaskOutput returns the events so far, and TaskStop ends the command. It also ends at timeout_ms. Print only lines that matter, for example with grep --line-buffered.",
  "category": "build",
  "sideEffect": "spawns",
  "optionality": "optional",
  "usageHint": "To watch a log, a build or a server while working on something else",
  "background": "always",
  "requires": [
    "bash",
    "state"
  ],
  "inputSchema": {
    "type": "object",
    "properties": {
      "description": {
        "type": "string",
        "description": "The purpose of the watch, for the user.",
        "minLength": 1
      },
      "timeout_ms": {
        "type": "integer",
        "description": "The time limit in milliseconds. A value over 1,800,000 counts as 1,800,000.",
        "minimum": 1,
        "default": 300000
      },
      "command": {
        "type": "string",
        "description": "The command, in bash syntax.",
        "minLength": 1
      },
      "ws": {
        "type": "object",
        "description": "A WebSocket cannot be watched. Use a command that prints its messages.",
        "properties": {
          "url": {
            "type": "string",
            "description": "Its address."
          },
          "protocols": {
            "type": "array",
            "items": {
              "type": "string"
            },
            "description": "Its protocols."
          }
        },
        "required": [
          "url"
        ],
        "additionalProperties": false
      }
    },
    "required": [
      "description"
    ],
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "Watch a build",
      "input": {
        "description": "The steps of the build",
        "timeout_ms": 60000,
        "command": "for step in compile link; do echo $step; done"
      },
      "expect": "read it with TaskOutput"
    },
    {
      "description": "Without a command there is nothing to watch",
      "input": {
        "description": "Messages",
        "ws": {
          "url": "wss://example.com",
          "protocols": [
            "chat"
          ]
        }
      },
      "expect": "websocat --protocol=chat wss://example.com",
      "isError": true
    }
  ],
  "aliases": [],
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
  return (await import("../monitor.ts")).default as ToolDefinition;
}
