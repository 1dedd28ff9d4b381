import { defineTool } from "../src/runner/registry/define.ts";
import { modelNeeds } from "../src/toolkit/llm/models.ts";

/** Answers `sampling/createMessage` of MCP servers. */
export default defineTool({
  name: "model.answer",
  aliases: ["model_answer"],
  title: "Ask the model",
  category: "mcp",
  sideEffect: "network",
  optionality: "optional",
  usageHint: "When an MCP server asks for an answer of a model",
  uses: ["settings"],
  inputSchema: {
    type: "object",
    properties: {
      messages: {
        type: "array",
        description: "The conversation.",
        items: {
          type: "object",
          properties: {
            role: { type: "string", description: "The author.", enum: ["user", "assistant"] },
            text: { type: "string", description: "The text." },
          },
          required: ["role", "text"],
          additionalProperties: false,
        },
        minItems: 1,
        maxItems: 100,
      },
      system: { type: "string", description: "The instructions for the model." },
    },
    required: ["messages"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "Without a model, the error tells how to set one",
      input: { messages: [{ role: "user", text: "Hello" }] },
      expect: "model.endpoint",
      isError: true,
    },
  ],
  permissions: { kinds: ["net"], needs: (_args, _cwd, settings) => modelNeeds(settings) },
  timeoutMs: 300_000,
  async run({ messages, system }, ctx) {
    const said = messages.map(({ role, text }) => ({ role, content: text }));
    const { ChatModel } = await import("../src/toolkit/llm/chat.ts");
    const model = await ChatModel.open(ctx);
    const { message } = await model.complete({
      messages: [
        ...(system === undefined ? [] : [{ role: "system" as const, content: system }]),
        ...said,
      ],
    });
    return message.content ?? "";
  },
});
