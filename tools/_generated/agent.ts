// Written from tools/agent.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./agent.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "Agent",
  "aliases": [
    "Task"
  ],
  "title": "Run a subagent",
  "description": "Runs a subagent: the configured model works on a task with the tools of this program and this call's permissions, until it finishes or reaches max_turns. It does not see this conversation, so the prompt must be complete. Returns the agent's last message and its id. Pass the id as resume to continue its conversation (kept for 30 days); errors contain it too. In long conversations the oldest tool outputs are dropped, and the agent is informed. Calls that only read run in parallel.",
  "category": "agent",
  "sideEffect": "spawns",
  "optionality": "conditional",
  "usageHint": "For tasks of many steps whose intermediate results are not needed",
  "uses": [
    "store",
    "settings",
    "call"
  ],
  "requires": [
    "model",
    "state"
  ],
  "background": true,
  "inputSchema": {
    "type": "object",
    "properties": {
      "description": {
        "type": "string",
        "description": "The task in three to five words."
      },
      "prompt": {
        "type": "string",
        "description": "The complete task.",
        "minLength": 1
      },
      "subagent_type": {
        "type": "string",
        "description": "general-purpose has all tools; explore and plan have only read-only tools. Other types are passed to the agent and have all tools.",
        "minLength": 1,
        "maxLength": 200,
        "default": "general-purpose"
      },
      "model": {
        "type": "string",
        "description": "Uses the model of the setting model.sonnet, model.opus, model.haiku or model.fable instead of model.default.",
        "enum": [
          "sonnet",
          "opus",
          "haiku",
          "fable"
        ]
      },
      "resume": {
        "type": "string",
        "description": "The id of an earlier agent of this session, to continue its conversation.",
        "minLength": 1
      },
      "run_in_background": {
        "type": "boolean",
        "description": "Returns the id of a background task immediately.",
        "default": false
      },
      "max_turns": {
        "type": "integer",
        "description": "The maximum number of requests to the model.",
        "minimum": 1,
        "default": 50
      },
      "name": {
        "type": "string",
        "description": "The agent's name.",
        "maxLength": 200
      },
      "team_name": {
        "type": "string",
        "description": "The agent's team.",
        "maxLength": 200
      },
      "mode": {
        "type": "string",
        "description": "plan allows only read-only tools. Other values are ignored."
      },
      "effort": {
        "type": "string",
        "description": "Ignored: the endpoint decides.",
        "enum": [
          "low",
          "medium",
          "high",
          "xhigh",
          "max"
        ]
      },
      "isolation": {
        "type": "string",
        "description": "Ignored: the agent works in the working directory.",
        "enum": [
          "worktree",
          "remote"
        ]
      }
    },
    "required": [
      "description",
      "prompt"
    ],
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "Without a model, the error says how to configure one",
      "input": {
        "description": "Find the entry point",
        "prompt": "Which file is the entry point of this project, and what does it import?",
        "subagent_type": "explore"
      },
      "expect": "\"setting\":\"model.endpoint\"",
      "isError": true
    },
    {
      "description": "A plan by a certain model",
      "input": {
        "description": "Plan the renaming",
        "prompt": "How can the function add in src/math.ts be renamed to sum?",
        "subagent_type": "plan",
        "model": "opus",
        "max_turns": 10
      },
      "expect": "No model is configured",
      "isError": true
    }
  ],
  "ignores": [
    "effort",
    "isolation"
  ],
  "permissionKinds": [
    "net"
  ],
  "permissionSets": [
    [
      "net"
    ]
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../agent.ts")).default as ToolDefinition;
}
