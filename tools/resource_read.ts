import { problemFrom } from "../src/base/argument_problem.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import { pathOfAddress, readFileResource } from "../src/toolkit/resources/file_resource.ts";

/** Answers `resources/read` of the MCP server. */
export default defineTool({
  name: "resource.read",
  aliases: ["resource_read"],
  title: "Read resource",
  category: "mcp",
  sideEffect: "read_only",
  idempotent: true,
  bounded: true,
  optionality: "optional",
  usageHint: "When an MCP client reads a resource",
  inputSchema: {
    type: "object",
    properties: {
      uri: { type: "string", description: "The file: address of the file." },
    },
    required: ["uri"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "Another scheme is refused",
      input: { uri: "https://example.com/" },
      expect: "it does not begin with file:///",
      isError: true,
    },
    {
      description: "A file",
      input: { uri: "file://$ROOT/hello.txt" },
      expect: "Hello",
    },
  ],
  rules: ({ uri }) => problemFrom("/uri", () => pathOfAddress(uri)),
  permissions: {
    kinds: ["read"],
    needs: ({ uri }) => [{ name: "read", path: pathOfAddress(uri) }],
  },
  async run({ uri }, ctx) {
    return [{ type: "resource", resource: await readFileResource(uri, ctx) }];
  },
});
