// Written from tools/static_links.ts by "deno task generate". Do not edit.

import type { ToolDefinition } from "../../src/runner/registry/define.ts";
import type { ToolMetadata } from "../../src/runner/registry/registered_tool.ts";
import type { Validator } from "../../src/runner/registry/validator.ts";
import check from "./static_links.validate.js";

export const validate = check as unknown as Validator;

export const metadata: ToolMetadata = {
  "name": "static_links",
  "title": "Check links",
  "description": "Checks the links in Markdown and HTML files: whether their target files and anchors exist (ids, names, and headings as GitHub names them). path is a file or directory; hidden and ignored files are skipped. Links that begin with / start from path. Broken links are listed as file:line: link: reason. Reads at most 5,000 files of up to 1 MiB, in 20 seconds. Web links are listed; pass them as urls in a second call to check them by HEAD or GET, without following redirects.",
  "category": "publish",
  "sideEffect": "network",
  "idempotent": true,
  "optionality": "optional",
  "usageHint": "Before publishing documents, or after moving or renaming files",
  "inputSchema": {
    "type": "object",
    "properties": {
      "path": {
        "type": "string",
        "description": "The file or directory. Default: the working directory, if urls is not given.",
        "minLength": 1
      },
      "urls": {
        "type": "array",
        "description": "Web addresses to check instead of files.",
        "items": {
          "type": "string",
          "description": "An http or https URL.",
          "minLength": 1
        },
        "minItems": 1,
        "maxItems": 50
      },
      "limit": {
        "type": "integer",
        "description": "The maximum number of broken links, and of web addresses, to show.",
        "minimum": 1,
        "maximum": 1000,
        "default": 100
      },
      "fail_on_broken": {
        "type": "boolean",
        "description": "Whether the call fails if a link is broken, as a check in a script does.",
        "default": false
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
      "expect": "links.md:5: \"missing.md\": no such file"
    },
    {
      "description": "The links of a directory",
      "input": {
        "path": "$ROOT"
      },
      "expect": "\"notes.md#nowhere\": no anchor \"nowhere\" in that file"
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
  ],
  "permissionSets": [
    [
      "read"
    ],
    [
      "net"
    ]
  ]
};

export async function load(): Promise<ToolDefinition> {
  return (await import("../static_links.ts")).default as ToolDefinition;
}
