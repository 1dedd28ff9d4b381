// Written from tools/task_output.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./task_output.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "TaskOutput",
  "title": "Read a background task",
  "description": "Returns a background task's status and its output so far (complete once it has ended). Waits for the end unless block is false. Long output is truncated in the middle, and the file with the full text is named.",
  "category": "agent",
  "sideEffect": "read_only",
  "uses": [
    "tasks"
  ],
  "requires": [
    "state"
  ],
  "optionality": "optional",
  "usageHint": "After run_in_background, to check progress or wait for the end",
  "inputSchema": {
    "type": "object",
    "properties": {
      "task_id": {
        "type": "string",
        "description": "The id of the task."
      },
      "block": {
        "type": "boolean",
        "description": "Whether to wait for the end.",
        "default": true
      },
      "timeout": {
        "type": "integer",
        "description": "The maximum time to wait, in milliseconds.",
        "minimum": 0,
        "maximum": 600000,
        "default": 30000
      }
    },
    "required": [
      "task_id"
    ],
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "Wait for a task",
      "input": {
        "task_id": "task_0123456789abcdef0123"
      },
      "expect": "Cannot find the background task",
      "isError": true
    },
    {
      "description": "See how far it is without waiting",
      "input": {
        "task_id": "task_0123456789abcdef0123",
        "block": false
      },
      "expect": "toolcall tasks",
      "isError": true
    }
  ],
  "aliases": [],
  "outputSchema": {
    "type": "object",
    "properties": {
      "id": {
        "type": "string",
        "description": "The id of the task"
      },
      "tool": {
        "type": "string",
        "description": "The tool that the task runs"
      },
      "title": {
        "type": "string",
        "description": "The title of the task"
      },
      "status": {
        "type": "string",
        "description": "The state of the task",
        "enum": [
          "waiting",
          "running",
          "completed",
          "failed",
          "timed_out",
          "stopped",
          "lost",
          "interrupted"
        ]
      },
      "startedAt": {
        "type": "number",
        "description": "When it started, in milliseconds since 1970"
      },
      "endedAt": {
        "type": "number",
        "description": "When it ended, if that is known"
      },
      "text": {
        "type": "string",
        "description": "The answer of an ended task, or the output so far"
      },
      "outputFile": {
        "type": "string",
        "description": "The file that holds the whole output, if it is on this machine"
      },
      "worker": {
        "type": "string",
        "description": "The worker of a task that was started over NATS"
      }
    },
    "required": [
      "id",
      "tool",
      "title",
      "status",
      "startedAt",
      "text"
    ],
    "additionalProperties": false
  },
  "permissionKinds": [],
  "permissionSets": [
    []
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../task_output.ts")).default as ToolDefinition;
}
