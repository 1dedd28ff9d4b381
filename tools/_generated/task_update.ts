// Written from tools/task_update.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./task_update.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "TaskUpdate",
  "title": "Change a to-do item",
  "description": "Changes an item of the session's to-do list and returns what changed. Only the given fields change. The status deleted removes the item. It does not change background tasks.",
  "category": "agent",
  "sideEffect": "none",
  "destructive": false,
  "idempotent": true,
  "uses": [
    "todos"
  ],
  "requires": [
    "state"
  ],
  "optionality": "optional",
  "usageHint": "To begin or complete a step, or to say which step waits for another one",
  "inputSchema": {
    "type": "object",
    "properties": {
      "taskId": {
        "type": "string",
        "description": "The id of the item.",
        "minLength": 1
      },
      "subject": {
        "type": "string",
        "description": "The new subject.",
        "minLength": 1
      },
      "description": {
        "type": "string",
        "description": "The new full text."
      },
      "activeForm": {
        "type": "string",
        "description": "The new text for the time while it is in progress."
      },
      "status": {
        "type": "string",
        "description": "The new state.",
        "enum": [
          "pending",
          "in_progress",
          "completed",
          "deleted"
        ]
      },
      "addBlocks": {
        "type": "array",
        "items": {
          "type": "string",
          "minLength": 1
        },
        "maxItems": 1000,
        "description": "Ids of items that wait for this one."
      },
      "addBlockedBy": {
        "type": "array",
        "items": {
          "type": "string",
          "minLength": 1
        },
        "maxItems": 1000,
        "description": "Ids of items that this one waits for."
      },
      "owner": {
        "type": "string",
        "description": "The agent or person that works on it."
      },
      "metadata": {
        "type": "object",
        "description": "Data to merge into that of the item. The value null removes a key."
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
        "taskId": "999999",
        "status": "completed"
      },
      "expect": "TaskList lists all items",
      "isError": true
    },
    {
      "description": "Every field can change in one call",
      "input": {
        "taskId": "999999",
        "subject": "Run all tests",
        "description": "Run the tests of every package",
        "activeForm": "Running all tests",
        "status": "in_progress",
        "addBlocks": [
          "3"
        ],
        "addBlockedBy": [
          "1"
        ],
        "owner": "tester",
        "metadata": {
          "priority": "high",
          "draft": null
        }
      },
      "expect": "Cannot find the to-do item \"999999\"",
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
  return (await import("../task_update.ts")).default as ToolDefinition;
}
