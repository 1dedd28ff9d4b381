// Written from tools/bash.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./bash.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "Bash",
  "aliases": [
    "bash"
  ],
  "title": "Run a shell command",
  "description": "Runs a command with bash in the working folder and returns what it printed, stdout and stderr in the order they came. Nothing can be typed into it. Of more than 30,000 characters the head and the tail are returned and the whole is kept in a file. A non-zero exit code is an error. What it leaves in the background is ended with it, so what is to go on is started with run_in_background.",
  "category": "build",
  "sideEffect": "spawns",
  "optionality": "optional",
  "usageHint": "To build, test, or use a program for which there is no tool",
  "background": true,
  "requires": [
    "bash"
  ],
  "inputSchema": {
    "type": "object",
    "properties": {
      "command": {
        "type": "string",
        "description": "The command, in bash's language",
        "minLength": 1
      },
      "timeout": {
        "type": "integer",
        "description": "The time limit in milliseconds: 120,000 by default, at most 600,000; in the background 1,800,000 by default, at most 7,200,000",
        "minimum": 1,
        "maximum": 7200000
      },
      "description": {
        "type": "string",
        "description": "What the command does, for people"
      },
      "run_in_background": {
        "type": "boolean",
        "description": "Answer at once with a task_id, for TaskOutput and TaskStop; the time limit holds",
        "default": false
      },
      "dangerouslyDisableSandbox": {
        "type": "boolean",
        "description": "Ignored when false. The flags of toolcall decide whether there is a sandbox",
        "default": false
      },
      "_simulatedSedEdit": {
        "type": "object",
        "description": "Ignored: an edit that a client computed; the command itself runs"
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
        "command": "wc -l < hello.txt"
      },
      "expect": "2",
      "flags": [
        "--allow-run=bash,wc",
        "--allow-read=."
      ]
    },
    {
      "description": "See why a program fails",
      "input": {
        "command": "echo to stderr >&2; exit 3"
      },
      "expect": "to stderr\nExit code 3",
      "isError": true
    }
  ],
  "ignores": [
    "_simulatedSedEdit"
  ],
  "permissionKinds": [
    "run"
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../bash.ts")).default as ToolDefinition;
}
