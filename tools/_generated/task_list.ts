// Written from tools/task_list.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./task_list.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "TaskList",
  "title": "List the to-do items",
  "description": "Lists the items of the session's to-do list: id, status, subject, owner and the open items that each waits for. It does not list background tasks.",
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
  "usageHint": "To see the progress of the work, or to choose the next step",
  "inputSchema": {
    "type": "object",
    "properties": {},
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "List all items",
      "input": {},
      "expect": "The to-do list"
    }
  ],
  "aliases": [],
  "permissionKinds": [],
  "permissionSets": [
    []
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../task_list.ts")).default as ToolDefinition;
}
