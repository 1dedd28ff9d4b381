// Written from tools/exit_plan_mode.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./exit_plan_mode.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "ExitPlanMode",
  "title": "Leave plan mode",
  "description": "Shows the user the plan and asks whether to leave plan mode, in which nothing may be changed. If the user approves, tools that change something run again, and the approval is stored. Otherwise the call fails with the user's answer, and plan mode continues. Fails outside plan mode.",
  "category": "agent",
  "sideEffect": "blocking",
  "optionality": "conditional",
  "usageHint": "When a plan is complete and should be carried out; not to ask about details",
  "uses": [
    "ask",
    "settings",
    "store"
  ],
  "requires": [
    "state"
  ],
  "inputSchema": {
    "type": "object",
    "properties": {
      "plan": {
        "type": "string",
        "description": "The plan, as the user should read it.",
        "minLength": 1
      },
      "allowedPrompts": {
        "type": "array",
        "description": "Permissions that the plan needs, for the user to approve.",
        "items": {
          "type": "object",
          "properties": {
            "tool": {
              "type": "string",
              "description": "The tool, such as Bash.",
              "minLength": 1
            },
            "prompt": {
              "type": "string",
              "description": "Its purpose, such as: run the tests.",
              "minLength": 1
            }
          },
          "required": [
            "tool",
            "prompt"
          ],
          "additionalProperties": false
        }
      }
    },
    "additionalProperties": true
  },
  "examples": [
    {
      "description": "Outside plan mode there is nothing to leave",
      "input": {},
      "expect": "plan mode is not on",
      "isError": true
    },
    {
      "description": "The same with a plan and what it needs",
      "input": {
        "plan": "1. Rename the function\n2. Run the tests",
        "allowedPrompts": [
          {
            "tool": "Bash",
            "prompt": "run the tests"
          }
        ]
      },
      "expect": "plan mode is not on",
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
  return (await import("../exit_plan_mode.ts")).default as ToolDefinition;
}
