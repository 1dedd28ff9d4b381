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
  "description": "Runs a command with bash in the working directory. Returns stdout and stderr in the order they were printed. There is no input. Output over 30,000 characters is truncated in the middle; the full text is saved to a file. A non-zero exit code is an error. Background processes are killed when the command ends; use run_in_background to keep them, or session for a shell that stays.",
  "category": "build",
  "sideEffect": "spawns",
  "optionality": "optional",
  "usageHint": "To build, test, or use a program for which there is no tool",
  "background": true,
  "shell": true,
  "requires": [
    "bash"
  ],
  "inputSchema": {
    "type": "object",
    "properties": {
      "command": {
        "type": "string",
        "description": "The command, in bash syntax.",
        "minLength": 1
      },
      "timeout": {
        "type": "integer",
        "description": "Time limit in milliseconds. Default 120,000, maximum 600,000. In the background: default 1,800,000, maximum 7,200,000.",
        "minimum": 1,
        "maximum": 7200000
      },
      "description": {
        "type": "string",
        "description": "The purpose of the command, for the user."
      },
      "run_in_background": {
        "type": "boolean",
        "description": "Returns a task_id for TaskOutput and TaskStop immediately. The time limit applies.",
        "default": false
      },
      "session": {
        "type": "string",
        "description": "The name of a shell that stays between calls and keeps its working directory, variables, functions and background jobs. It ends after 10 minutes without a call.",
        "minLength": 1,
        "maxLength": 200
      },
      "restart": {
        "type": "boolean",
        "description": "With session: ends the shell and all its jobs, and starts a new one. Needs no command.",
        "default": false
      },
      "dangerouslyDisableSandbox": {
        "type": "boolean",
        "description": "Ignored if false. The flags of toolcall decide about the sandbox.",
        "default": false
      },
      "_simulatedSedEdit": {
        "type": "object",
        "description": "Ignored: an edit that a client computed. The command runs instead."
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
  ],
  "permissionSets": [
    [
      "run"
    ]
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../bash.ts")).default as ToolDefinition;
}
