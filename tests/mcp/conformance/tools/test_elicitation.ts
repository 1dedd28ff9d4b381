import { defineTool } from "../../../../src/runner/registry/define.ts";

export default defineTool({
  name: "test_elicitation",
  title: "A question",
  description: "Asks the user the question in the message",
  category: "utility",
  sideEffect: "blocking",
  optionality: "optional",
  usageHint: "For the conformance suite of MCP",
  uses: ["ask"],
  inputSchema: {
    type: "object",
    properties: { message: { type: "string", description: "The question" } },
    required: ["message"],
    additionalProperties: false,
  },
  examples: [{
    description: "A question",
    input: { message: "Is it so?" },
    expect: "User response",
  }],
  permissions: { kinds: [], needs: () => [] },
  async run(args, ctx) {
    const answers = await ctx.ask([{
      question: args.message,
      header: "Question",
      options: [
        { label: "Yes", description: "It is so" },
        { label: "No", description: "It is not" },
      ],
      multiSelect: false,
    }]);
    return `User response: ${JSON.stringify(answers)}`;
  },
});
