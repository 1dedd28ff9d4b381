// Written from tools/ask_user_question.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./ask_user_question.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "AskUserQuestion",
  "title": "Ask the user",
  "description": "Asks the person one to four questions and waits for the answers. Each question has two to four options with a label and what choosing it means; with multiSelect several may be chosen, and the answer is their labels joined by a comma. The person can always answer in their own words instead, so there is no need for an option such as Other. The result is each question with its answer; when the person declines or nobody can be asked, it is an error that says so",
  "category": "agent",
  "sideEffect": "blocking",
  "optionality": "conditional",
  "usageHint": "When the work depends on a decision that only the person can make",
  "uses": [
    "ask"
  ],
  "inputSchema": {
    "type": "object",
    "properties": {
      "questions": {
        "type": "array",
        "description": "The questions, each with another text",
        "minItems": 1,
        "maxItems": 4,
        "items": {
          "type": "object",
          "properties": {
            "question": {
              "type": "string",
              "description": "The whole question, such as: Which library should format dates?",
              "minLength": 1
            },
            "header": {
              "type": "string",
              "description": "A word or two that stand for it, at most 12 characters",
              "minLength": 1,
              "maxLength": 12
            },
            "options": {
              "type": "array",
              "description": "What can be chosen, each with another label",
              "minItems": 2,
              "maxItems": 4,
              "items": {
                "type": "object",
                "properties": {
                  "label": {
                    "type": "string",
                    "description": "One to five words that name the option",
                    "minLength": 1
                  },
                  "description": {
                    "type": "string",
                    "description": "What choosing it means",
                    "minLength": 1
                  },
                  "preview": {
                    "type": "string",
                    "description": "A sample to compare, shown on a terminal; a form of an MCP client does not show it"
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
              "description": "Whether several options may be chosen",
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
        "description": "Answers that are there already, by question; only the others are asked",
        "additionalProperties": {
          "type": "string",
          "minLength": 1
        }
      },
      "annotations": {
        "type": "object",
        "description": "Notes that the user gave with the answers, by question",
        "additionalProperties": {
          "type": "object",
          "properties": {
            "notes": {
              "type": "string",
              "description": "The notes"
            },
            "preview": {
              "type": "string",
              "description": "Ignored: the preview of the chosen option"
            }
          },
          "additionalProperties": false
        }
      },
      "metadata": {
        "type": "object",
        "description": "Ignored: data for statistics"
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
  "permissionKinds": []
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../ask_user_question.ts")).default as ToolDefinition;
}
