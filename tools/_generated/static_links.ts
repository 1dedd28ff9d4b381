// Written from tools/static_links.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./static_links.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "static_links",
  "title": "Check links",
  "description": "Checks the links of Markdown and HTML files: whether the files that they name exist, and the anchors in them (ids, names, and headings as GitHub names them). path is a file or a folder, in which hidden and ignored files are left out; a link that begins with / starts from it. Broken links come as file:line: link: why. At most 5,000 files of up to 1 MiB are read, in 20 seconds. Links to the web are listed; a second call with them as urls asks for each by HEAD or GET, without following redirects",
  "category": "publish",
  "sideEffect": "network",
  "idempotent": true,
  "optionality": "optional",
  "usageHint": "Before publishing documents, or after files were moved or renamed",
  "inputSchema": {
    "type": "object",
    "properties": {
      "path": {
        "type": "string",
        "description": "The file or folder; the working folder where neither it nor urls is given",
        "minLength": 1
      },
      "urls": {
        "type": "array",
        "description": "Addresses on the web to check instead of files",
        "items": {
          "type": "string",
          "description": "An http or https URL",
          "minLength": 1
        },
        "minItems": 1,
        "maxItems": 50
      },
      "limit": {
        "type": "integer",
        "description": "How many broken links are shown at most, and how many addresses on the web",
        "minimum": 1,
        "maximum": 1000,
        "default": 100
      }
    },
    "additionalProperties": false
  },
  "examples": [
    {
      "description": "The links of one document",
      "input": {
        "path": "$ROOT/links.md"
      },
      "flags": [
        "--allow-read=$ROOT"
      ],
      "expect": "links.md:5: \"missing.md\": there is no such file"
    },
    {
      "description": "The links of a folder",
      "input": {
        "path": "$ROOT"
      },
      "expect": "\"notes.md#nowhere\": there is no anchor \"nowhere\" in that file"
    },
    {
      "description": "Addresses on the web",
      "input": {
        "urls": [
          "http://$SERVER/page.html",
          "http://$SERVER/gone.html"
        ]
      },
      "expect": "/gone.html\": 404, broken"
    }
  ],
  "aliases": [],
  "requires": [],
  "permissionKinds": [
    "read",
    "net"
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../static_links.ts")).default as ToolDefinition;
}
