// Written from tools/model_answer.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./model_answer.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "model.answer",
  "aliases": [
    "model_answer"
  ],
  "title": "Ask the model",
  "category": "mcp",
  "sideEffect": "network",
  "optionality": "optional",
  "usageHint": "When an MCP server asks for an answer of a model",
  "uses": [
    "settings"
  ],
  "inputSchema": {
    "type": "object",
    "properties": {
      "messages": {
        "type": "array",
        "description": "The conversation.",
        "items": {
          "type": "object",
          "properties": {
            "role": {
              "type": "string",
              "description": "The author.",
              "enum": [
                "user",
                "assistant"
              ]
            },
            "text": {
              "type": "string",
              "description": "The text."
            }
          },
          "required": [
            "role",
            "text"
          ],
          "additionalProperties": false
        },
        "minItems": 1,
        "maxItems": 100
      },
      "system": {
        "type": "string",
        "description": "The instructions for the model."
      }
    },
    "required": [
      "messages"
    ],
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "Without a model, the error tells how to set one",
      "input": {
        "messages": [
          {
            "role": "user",
            "text": "Hello"
          }
        ]
      },
      "expect": "model.endpoint",
      "isError": true
    }
  ],
  "requires": [],
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
  return (await import("../model_answer.ts")).default as ToolDefinition;
}
