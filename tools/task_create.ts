import { withDataIfWanted } from "../src/base/content.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import type { Json } from "../src/runner/registry/services.ts";

export default defineTool({
  name: "TaskCreate",
  title: "Add a to-do item",
  description:
    "Adds a pending item to the session's to-do list and returns its id. It is the list that TodoWrite, TaskUpdate, TaskGet and TaskList use. It starts no background task.",
  category: "agent",
  sideEffect: "none",
  destructive: false,
  uses: ["todos"],
  requires: ["state"],
  optionality: "optional",
  usageHint: "To add one step to the to-do list without writing the whole list again",
  inputSchema: {
    type: "object",
    properties: {
      subject: {
        type: "string",
        description: "The work in a few words, such as: Run the tests.",
        minLength: 1,
      },
      description: { type: "string", description: "The work in full." },
      activeForm: {
        type: "string",
        description: "The subject while it is in progress, such as: Running the tests.",
      },
      metadata: { type: "object", description: "Other data to store with the item." },
    },
    required: ["subject", "description"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "Add a step",
      input: {
        subject: "Update the changelog",
        description: "Add a line for each change that a user sees",
        activeForm: "Updating the changelog",
      },
      expect: "Update the changelog",
    },
    {
      description: "Add a step with data of the program",
      input: { subject: "Fix the bug", description: "See the report", metadata: { report: 12 } },
      expect: "Fix the bug",
    },
  ],
  permissions: { kinds: [], needs: () => [] },
  async run({ subject, description, activeForm, metadata }, ctx) {
    const { id } = await ctx.todos.add({
      ...{ content: subject, description },
      ...(activeForm !== undefined && { activeForm }),
      ...(metadata !== undefined && { metadata: metadata as Record<string, Json> }),
    });
    return withDataIfWanted(ctx, `Added to-do item ${id}: ${subject}`, () => ({
      task: { id, subject, description },
    }));
  },
});
