import { defineTool } from "../../../../src/runner/registry/define.ts";
import { form } from "../diagnostic_tool.ts";

export default defineTool({
  name: "confirm_delete",
  title: "A deletion that asks",
  description: "Asks the client as a background task whether to delete, and deletes nothing",
  category: "utility",
  sideEffect: "blocking",
  optionality: "optional",
  usageHint: "For the conformance suite of MCP",
  uses: ["client"],
  background: "always",
  inputSchema: {
    type: "object",
    properties: { filename: { type: "string", description: "The file" } },
    required: ["filename"],
    additionalProperties: false,
  },
  examples: [{ description: "A file", input: { filename: "a.txt" }, expect: "Started" }],
  permissions: { kinds: [], needs: () => [] },
  timeoutMs: 120_000,
  async run({ filename }, ctx) {
    const question = form(`Delete ${filename}?`, "confirm", "boolean");
    return JSON.stringify(await ctx.client.request({ question }));
  },
});
