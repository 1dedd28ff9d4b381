// Written from tools/blog_notion.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./blog_notion.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "blog_notion",
  "title": "Publish to Notion",
  "description": "Publishes Markdown as a new Notion page, below a page or in a database. Returns its URL. Headings, lists, tasks, quotes, code, tables, images by web address and formatting are converted. The result names what Notion cannot show. A second call creates a second page.",
  "category": "publish",
  "sideEffect": "mutating",
  "destructive": false,
  "idempotent": false,
  "requires": [
    "notion"
  ],
  "optionality": "conditional",
  "usageHint": "To publish a finished text in Notion",
  "uses": [
    "settings"
  ],
  "inputSchema": {
    "type": "object",
    "properties": {
      "title": {
        "type": "string",
        "description": "The page's title.",
        "minLength": 1,
        "maxLength": 2000
      },
      "content": {
        "type": "string",
        "description": "The text in Markdown, without the title.",
        "maxLength": 1000000
      },
      "parent": {
        "type": "string",
        "description": "The id or URL of the parent page, database:ID or data_source:ID. Default: the setting notion.parent.",
        "minLength": 1
      }
    },
    "required": [
      "title",
      "content"
    ],
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "Without a parent, the error tells how to set one",
      "input": {
        "title": "Low water",
        "content": "# Rivers\n\nAll of **them**."
      },
      "expect": "{\"setting\":\"notion.parent\"",
      "isError": true
    },
    {
      "description": "An invalid parent",
      "input": {
        "title": "Low water",
        "content": "Rivers",
        "parent": "my page"
      },
      "expect": "Cannot put a page in \"my page\": give the id or the URL of a page",
      "isError": true
    }
  ],
  "aliases": [],
  "outputSchema": {
    "type": "object",
    "properties": {
      "url": {
        "type": "string",
        "description": "The page's URL"
      },
      "page_id": {
        "type": "string",
        "description": "Its id"
      },
      "blocks": {
        "type": "integer",
        "description": "How many blocks it has"
      },
      "notes": {
        "type": "array",
        "description": "The parts of the text that Notion shows differently",
        "items": {
          "type": "string"
        }
      }
    },
    "required": [
      "url",
      "page_id",
      "blocks",
      "notes"
    ],
    "additionalProperties": false
  },
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
  return (await import("../blog_notion.ts")).default as ToolDefinition;
}
