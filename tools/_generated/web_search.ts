// Written from tools/web_search.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./web_search.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "WebSearch",
  "aliases": [
    "web_search"
  ],
  "title": "Search the web",
  "description": "Searches the web with the configured provider (SearXNG, Brave or Tavily). Returns up to 20 results with title, URL, an excerpt and, when known, the date. Results can be limited to some domains, or some domains excluded. Read a page with WebFetch.",
  "category": "research",
  "sideEffect": "network",
  "idempotent": true,
  "optionality": "conditional",
  "usageHint": "To find pages on something, above all on what is newer than the model",
  "uses": [
    "settings"
  ],
  "requires": [
    "search provider"
  ],
  "inputSchema": {
    "type": "object",
    "properties": {
      "query": {
        "type": "string",
        "description": "The search terms.",
        "minLength": 1,
        "maxLength": 1000
      },
      "allowed_domains": {
        "type": "array",
        "items": {
          "type": "string",
          "minLength": 1
        },
        "description": "Return only results of these domains and their subdomains, such as example.com.",
        "maxItems": 50
      },
      "blocked_domains": {
        "type": "array",
        "items": {
          "type": "string",
          "minLength": 1
        },
        "description": "Exclude results of these domains. Not together with allowed_domains.",
        "maxItems": 50
      }
    },
    "required": [
      "query"
    ],
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "Without a provider, the error tells how to set one",
      "input": {
        "query": "history of the semicolon"
      },
      "expect": "search.provider",
      "isError": true
    },
    {
      "description": "Domains are allowed or blocked, not both",
      "input": {
        "query": "history of the semicolon",
        "allowed_domains": [
          "example.com"
        ],
        "blocked_domains": [
          "example.org"
        ]
      },
      "expect": "give one of them",
      "isError": true
    }
  ],
  "maxRetries": 2,
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
  return (await import("../web_search.ts")).default as ToolDefinition;
}
