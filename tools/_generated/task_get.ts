// Written from tools/task_get.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./task_get.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "TaskGet",
  "title": "Read a to-do item",
  "description": "Returns all fields of an item of the session's to-do list. For a background task use TaskOutput.",
  "category": "agent",
  "sideEffect": "read_only",
  "idempotent": true,
  "uses": [
    "todos"
  ],
  "requires": [
    "state"
  ],
  "optionality": "optional",
  "usageHint": "To read the full description of a to-do item before working on it",
  "inputSchema": {
    "type": "object",
    "properties": {
      "taskId": {
        "type": "string",
        "description": "The id of the item.",
        "minLength": 1
      }
    },
    "required": [
      "taskId"
    ],
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "An unknown id: the error tells how to list the items",
      "input": {
        "taskId": "999999"
      },
      "expect": "TaskList lists all items",
      "isError": true
    }
  ],
  "aliases": [],
  "permissionKinds": [],
  "permissionSets": [
    []
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../task_get.ts")).default as ToolDefinition;
}
