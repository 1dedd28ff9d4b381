// Written from tools/task_create.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./task_create.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "TaskCreate",
  "title": "Add a to-do item",
  "description": "Adds a pending item to the session's to-do list and returns its id. It is the list that TodoWrite, TaskUpdate, TaskGet and TaskList use. It starts no background task.",
  "category": "agent",
  "sideEffect": "none",
  "destructive": false,
  "uses": [
    "todos"
  ],
  "requires": [
    "state"
  ],
  "optionality": "optional",
  "usageHint": "To add one step to the to-do list without writing the whole list again",
  "inputSchema": {
    "type": "object",
    "properties": {
      "subject": {
        "type": "string",
        "description": "The work in a few words, such as: Run the tests.",
        "minLength": 1
      },
      "description": {
        "type": "string",
        "description": "The work in full."
      },
      "activeForm": {
        "type": "string",
        "description": "The subject while it is in progress, such as: Running the tests."
      },
      "metadata": {
        "type": "object",
        "description": "Other data to store with the item."
      }
    },
    "required": [
      "subject",
      "description"
    ],
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "Add a step",
      "input": {
        "subject": "Update the changelog",
        "description": "Add a line for each change that a user sees",
        "activeForm": "Updating the changelog"
      },
      "expect": "Update the changelog"
    },
    {
      "description": "Add a step with data of the program",
      "input": {
        "subject": "Fix the bug",
        "description": "See the report",
        "metadata": {
          "report": 12
        }
      },
      "expect": "Fix the bug"
    }
  ],
  "aliases": [],
  "permissionKinds": [],
  "permissionSets": [
    []
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../task_create.ts")).default as ToolDefinition;
}
