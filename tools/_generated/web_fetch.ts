// Written from tools/web_fetch.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./web_fetch.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "WebFetch",
  "title": "Fetch a web page",
  "description": "Gets a web page to answer a prompt about it. HTML becomes Markdown of its main part, a PDF becomes the text of its pages, and text, JSON and XML stay as they are. A configured model answers the prompt. Without a model, the result is the text itself. One call reads at most 100,000 characters, and the result names the offset to read on from. http becomes https for public names without a port. Redirects to another host are reported, not followed. Pages are cached for 15 minutes. Limits: 10 MB, 30 seconds.",
  "category": "research",
  "sideEffect": "network",
  "idempotent": true,
  "optionality": "optional",
  "usageHint": "To read a page whose address is known; WebSearch finds addresses",
  "uses": [
    "store",
    "settings"
  ],
  "inputSchema": {
    "type": "object",
    "properties": {
      "url": {
        "type": "string",
        "description": "The page's http or https URL, in ASCII. Percent-encode other characters.",
        "format": "uri"
      },
      "prompt": {
        "type": "string",
        "description": "The question about the page.",
        "minLength": 1
      },
      "offset": {
        "type": "integer",
        "description": "The character of the page's text to start at, as the last result says.",
        "minimum": 0,
        "default": 0
      }
    },
    "required": [
      "url",
      "prompt"
    ],
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "Read a page",
      "input": {
        "url": "http://$SERVER/page.html",
        "prompt": "What does it promise?"
      },
      "expect": "## What it promises"
    },
    {
      "description": "Read JSON",
      "input": {
        "url": "http://$SERVER/config.json",
        "prompt": "Which port is set?"
      },
      "expect": "\"port\": 8080"
    },
    {
      "description": "A page that is not there is an error with the status",
      "input": {
        "url": "http://$SERVER/missing",
        "prompt": "What is it?"
      },
      "expect": "404",
      "isError": true
    },
    {
      "description": "Only the web is read",
      "input": {
        "url": "file:///etc/hosts",
        "prompt": "Which hosts are there?"
      },
      "expect": "only http and https URLs",
      "isError": true
    }
  ],
  "maxRetries": 2,
  "aliases": [],
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
  return (await import("../web_fetch.ts")).default as ToolDefinition;
}
