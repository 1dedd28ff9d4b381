// Written from tools/web_fetch.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/registry/define.ts";
import type { ToolMetadata } from "../../src/registry/registered_tool.ts";
import type { Validator } from "../../src/registry/validator.ts";
import check from "./web_fetch.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "WebFetch",
  "title": "Fetch a web page",
  "description": "Gets a page from the web and answers a prompt about it: HTML comes as Markdown of the part that is there to be read, text, JSON and XML as they are, PDF as the text of its pages. With a configured model the answer to the prompt comes back, without one the text itself, at most 100,000 characters. http becomes https for names on the internet, but not with a port (http://host:80/). A redirect to another host is told of and not followed. Pages are kept for 15 minutes; at most 10 MB are read, in 30 seconds",
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
        "description": "The page's http or https URL, in ASCII: other characters percent-encoded",
        "format": "uri"
      },
      "prompt": {
        "type": "string",
        "description": "What to find out from the page",
        "minLength": 1
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
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../web_fetch.ts")).default as ToolDefinition;
}
