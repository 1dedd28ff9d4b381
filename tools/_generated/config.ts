// Written from tools/config.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./config.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "Config",
  "title": "Read or set a setting",
  "description": "Reads a setting of toolcall, or sets it for later calls if value is given. An empty string removes the value. \"*\" reads all settings: plan_mode, model.endpoint, model.api, model.key_variable, model.default, model.sonnet, model.opus, model.haiku, model.fable, search.provider, search.endpoint, search.key_variable, notion.endpoint, notion.key_variable, notion.parent. Settings that decide where requests and keys go need --allow-all. A setting that starts with \"/\" is a JSON Pointer into toolcall.json, such as /tools/disabled. Writing it needs --allow-all; comments are kept.",
  "category": "utility",
  "sideEffect": "mutating",
  "idempotent": true,
  "uses": [
    "settings"
  ],
  "optionality": "optional",
  "usageHint": "To see how toolcall is set up, to set it up, or to enter plan mode",
  "inputSchema": {
    "type": "object",
    "properties": {
      "setting": {
        "type": "string",
        "description": "The setting's name, \"*\" for all, or a JSON Pointer."
      },
      "value": {
        "description": "The new value. Without it, or with null, the setting is read. Lists and objects need a JSON Pointer.",
        "anyOf": [
          {
            "type": "string"
          },
          {
            "type": "boolean"
          },
          {
            "type": "number"
          },
          {
            "type": "array",
            "items": {
              "type": "string"
            }
          },
          {
            "type": "object"
          }
        ]
      }
    },
    "required": [
      "setting"
    ],
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "Read a setting",
      "input": {
        "setting": "plan_mode"
      },
      "expect": "plan_mode is false"
    },
    {
      "description": "See every setting",
      "input": {
        "setting": "*"
      },
      "expect": "model.endpoint is not set (string)"
    },
    {
      "description": "Set a setting to what it is; true would enter plan mode",
      "input": {
        "setting": "plan_mode",
        "value": false
      },
      "expect": "plan_mode is false; it was false"
    },
    {
      "description": "See which tools the configuration disables",
      "input": {
        "setting": "/tools/disabled"
      },
      "expect": "/tools/disabled is not set"
    },
    {
      "description": "A misspelt name gets a suggestion",
      "input": {
        "setting": "model.sonet"
      },
      "expect": "model.sonnet",
      "isError": true
    }
  ],
  "aliases": [],
  "requires": [],
  "permissionKinds": [],
  "permissionSets": [
    []
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../config.ts")).default as ToolDefinition;
}
