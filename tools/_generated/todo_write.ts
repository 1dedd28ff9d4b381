// Written from tools/todo_write.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./todo_write.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "TodoWrite",
  "title": "Write the to-do list",
  "description": "Replaces the session's to-do list and returns the changes. At most one item is in progress. An empty list clears it. TaskCreate and TaskUpdate change single items of the same list.",
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
  "usageHint": "To track work of several steps and show its progress",
  "inputSchema": {
    "type": "object",
    "properties": {
      "todos": {
        "type": "array",
        "description": "The complete list, in order.",
        "maxItems": 1000,
        "items": {
          "type": "object",
          "properties": {
            "content": {
              "type": "string",
              "description": "The task, such as: Run the tests.",
              "minLength": 1
            },
            "status": {
              "type": "string",
              "description": "The state.",
              "enum": [
                "pending",
                "in_progress",
                "completed"
              ]
            },
            "activeForm": {
              "type": "string",
              "description": "The task while it is in progress, such as: Running the tests.",
              "minLength": 1
            }
          },
          "required": [
            "content",
            "status",
            "activeForm"
          ],
          "additionalProperties": false
        }
      }
    },
    "required": [
      "todos"
    ],
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "Start with two things to do",
      "input": {
        "todos": [
          {
            "content": "Read the code",
            "status": "in_progress",
            "activeForm": "Reading the code"
          },
          {
            "content": "Run the tests",
            "status": "pending",
            "activeForm": "Running the tests"
          }
        ]
      },
      "expect": "added \"Read the code\" (in progress)"
    },
    {
      "description": "Two things cannot be in progress",
      "input": {
        "todos": [
          {
            "content": "Read the code",
            "status": "in_progress",
            "activeForm": "Reading the code"
          },
          {
            "content": "Run the tests",
            "status": "in_progress",
            "activeForm": "Running the tests"
          }
        ]
      },
      "expect": "at most one",
      "isError": true
    }
  ],
  "aliases": [],
  "outputSchema": {
    "type": "object",
    "properties": {
      "changes": {
        "type": "array",
        "description": "The changes, one item for each",
        "items": {
          "type": "string"
        }
      },
      "completed": {
        "type": "integer",
        "description": "How many items are completed"
      },
      "in_progress": {
        "type": "integer",
        "description": "How many items are in progress"
      },
      "pending": {
        "type": "integer",
        "description": "How many items are pending"
      }
    },
    "required": [
      "changes",
      "completed",
      "in_progress",
      "pending"
    ],
    "additionalProperties": false
  },
  "permissionKinds": [],
  "permissionSets": [
    []
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../todo_write.ts")).default as ToolDefinition;
}
