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
  "description": "Ends a background task with all that it started (TERM, then KILL) and tells what it ended and what it had printed. A task that has ended already is left as it is",
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
  "usageHint": "When a background task is not needed any more, such as a server",
  "inputSchema": {
    "type": "object",
    "properties": {
      "task_id": {
        "type": "string",
        "description": "The id that the call was answered with"
      },
      "shell_id": {
        "type": "string",
        "description": "The older name of task_id"
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
      "description": "An id that no task has is answered with how to list them",
      "input": {
        "task_id": "server"
      },
      "expect": "toolcall tasks",
      "isError": true
    }
  ],
  "permissionKinds": []
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../task_stop.ts")).default as ToolDefinition;
}
