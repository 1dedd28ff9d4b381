// Written from tools/task_stop.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./task_stop.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "TaskStop",
  "aliases": [
    "KillShell"
  ],
  "title": "Stop a background task",
  "description": "Stops a background task and everything that it started (SIGTERM, then SIGKILL). Returns what was stopped and its output. A task that has ended is left alone.",
  "category": "agent",
  "sideEffect": "mutating",
  "idempotent": true,
  "uses": [
    "tasks"
  ],
  "requires": [
    "state"
  ],
  "optionality": "optional",
  "usageHint": "When a background task, such as a server, is no longer needed",
  "inputSchema": {
    "type": "object",
    "properties": {
      "task_id": {
        "type": "string",
        "description": "The id of the task."
      },
      "shell_id": {
        "type": "string",
        "description": "The older name of task_id."
      }
    },
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "Stop a task",
      "input": {
        "task_id": "task_0123456789abcdef0123"
      },
      "expect": "Cannot find the background task",
      "isError": true
    },
    {
      "description": "An unknown id: the error tells how to list tasks",
      "input": {
        "task_id": "server"
      },
      "expect": "toolcall tasks",
      "isError": true
    }
  ],
  "permissionKinds": [],
  "permissionSets": [
    []
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../task_stop.ts")).default as ToolDefinition;
}
