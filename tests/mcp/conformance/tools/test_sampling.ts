import { defineTool } from "../../../../src/runner/registry/define.ts";
import { sampling } from "../diagnostic_tool.ts";

export default defineTool({
  name: "test_sampling",
  title: "A question to a model",
  description: "Asks the model of the client",
  category: "utility",
  sideEffect: "blocking",
  optionality: "optional",
  usageHint: "For the conformance suite of MCP",
  uses: ["client"],
  inputSchema: {
    type: "object",
    properties: { prompt: { type: "string", description: "The question" } },
    required: ["prompt"],
    additionalProperties: false,
  },
  examples: [{ description: "A question", input: { prompt: "Why?" }, expect: "LLM response" }],
  permissions: { kinds: [], needs: () => [] },
  async run({ prompt }, ctx) {
    const { answer } = await ctx.client.request({ answer: sampling(prompt, 100) });
    return `LLM response: ${JSON.stringify(answer)}`;
  },
});
