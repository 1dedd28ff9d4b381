// Written from tools/ask_user_question.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./ask_user_question.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "AskUserQuestion",
  "title": "Ask the user",
  "description": "Asks the user one to four questions and waits for the answers. Each question has two to four options. With multiSelect, the answer is the selected labels, joined by commas. The user can always type another answer, so do not add an option such as Other. Returns each question with its answer. If the user declines or cannot be asked, the call fails and says so.",
  "category": "agent",
  "sideEffect": "blocking",
  "optionality": "conditional",
  "usageHint": "When the work depends on a decision that only the user can make",
  "uses": [
    "ask"
  ],
  "inputSchema": {
    "type": "object",
    "properties": {
      "questions": {
        "type": "array",
        "description": "The questions, with distinct texts.",
        "minItems": 1,
        "maxItems": 4,
        "items": {
          "type": "object",
          "properties": {
            "question": {
              "type": "string",
              "description": "The complete question, such as: Which library should format dates?",
              "minLength": 1
            },
            "header": {
              "type": "string",
              "description": "A short label, at most 12 characters.",
              "minLength": 1,
              "maxLength": 12
            },
            "options": {
              "type": "array",
              "description": "The options, with distinct labels.",
              "minItems": 2,
              "maxItems": 4,
              "items": {
                "type": "object",
                "properties": {
                  "label": {
                    "type": "string",
                    "description": "The option in one to five words.",
                    "minLength": 1
                  },
                  "description": {
                    "type": "string",
                    "description": "The consequence of choosing it.",
                    "minLength": 1
                  },
                  "preview": {
                    "type": "string",
                    "description": "A sample to compare. Shown on a terminal, but not by MCP clients."
                  }
                },
                "required": [
                  "label",
                  "description"
                ],
                "additionalProperties": false
              }
            },
            "multiSelect": {
              "type": "boolean",
              "description": "Whether several options can be selected.",
              "default": false
            }
          },
          "required": [
            "question",
            "header",
            "options"
          ],
          "additionalProperties": false
        }
      },
      "answers": {
        "type": "object",
        "description": "Answers that already exist, by question. Only the others are asked.",
        "additionalProperties": {
          "type": "string",
          "minLength": 1
        }
      },
      "annotations": {
        "type": "object",
        "description": "Notes of the user, by question.",
        "additionalProperties": {
          "type": "object",
          "properties": {
            "notes": {
              "type": "string",
              "description": "The notes."
            },
            "preview": {
              "type": "string",
              "description": "Ignored: the preview of the chosen option."
            }
          },
          "additionalProperties": false
        }
      },
      "metadata": {
        "type": "object",
        "description": "Ignored: data for statistics."
      }
    },
    "required": [
      "questions"
    ],
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "A question that is answered already",
      "input": {
        "questions": [
          {
            "question": "Which library should format dates?",
            "header": "Library",
            "options": [
              {
                "label": "date-fns",
                "description": "Small functions, one import each"
              },
              {
                "label": "Temporal",
                "description": "Part of the language, no package"
              }
            ]
          }
        ],
        "answers": {
          "Which library should format dates?": "Temporal"
        },
        "annotations": {
          "Which library should format dates?": {
            "notes": "No new package"
          }
        }
      },
      "expect": "Answer (given with the call): Temporal"
    },
    {
      "description": "Nobody can be asked",
      "input": {
        "questions": [
          {
            "question": "Which parts should be tested?",
            "header": "Tests",
            "options": [
              {
                "label": "Parser",
                "description": "The reading of the input"
              },
              {
                "label": "Writer",
                "description": "The writing of the output"
              }
            ],
            "multiSelect": true
          }
        ]
      },
      "expect": "--ask=exec:PROGRAM",
      "isError": true
    }
  ],
  "ignores": [
    "metadata"
  ],
  "aliases": [],
  "requires": [],
  "permissionKinds": [],
  "permissionSets": [
    []
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../ask_user_question.ts")).default as ToolDefinition;
}
