// Written from tools/enter_plan_mode.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./enter_plan_mode.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "EnterPlanMode",
  "title": "Enter plan mode",
  "description": "Switches the session to plan mode: calls that change something are refused until the user approves a plan with ExitPlanMode. Calls that only read still run.",
  "category": "agent",
  "sideEffect": "none",
  "destructive": false,
  "idempotent": true,
  "uses": [
    "settings"
  ],
  "requires": [
    "state"
  ],
  "optionality": "optional",
  "usageHint": "Before work that the user should approve as a plan first",
  "inputSchema": {
    "type": "object",
    "properties": {},
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "Plan in a session of its own",
      "input": {},
      "expect": "Plan mode is on",
      "flags": [
        "--session=plan"
      ]
    }
  ],
  "aliases": [],
  "permissionKinds": [],
  "permissionSets": [
    []
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../enter_plan_mode.ts")).default as ToolDefinition;
}
