import { withDataIfWanted } from "../src/base/content.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import type { Json } from "../src/runner/registry/services.ts";

const ids = { type: "array", items: { type: "string", minLength: 1 }, maxItems: 1000 } as const;

export default defineTool({
  name: "TaskUpdate",
  title: "Change a to-do item",
  description:
    "Changes an item of the session's to-do list and returns what changed. Only the given fields change. The status deleted removes the item. It does not change background tasks.",
  category: "agent",
  sideEffect: "none",
  destructive: false,
  idempotent: true,
  uses: ["todos"],
  requires: ["state"],
  optionality: "optional",
  usageHint: "To begin or complete a step, or to say which step waits for another one",
  inputSchema: {
    type: "object",
    properties: {
      taskId: { type: "string", description: "The id of the item.", minLength: 1 },
      subject: { type: "string", description: "The new subject.", minLength: 1 },
      description: { type: "string", description: "The new full text." },
      activeForm: {
        type: "string",
        description: "The new text for the time while it is in progress.",
      },
      status: {
        type: "string",
        description: "The new state.",
        enum: ["pending", "in_progress", "completed", "deleted"],
      },
      addBlocks: { ...ids, description: "Ids of items that wait for this one." },
      addBlockedBy: { ...ids, description: "Ids of items that this one waits for." },
      owner: { type: "string", description: "The agent or person that works on it." },
      metadata: {
        type: "object",
        description: "Data to merge into that of the item. The value null removes a key.",
      },
    },
    required: ["taskId"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "An unknown id: the error tells how to list the items",
      input: { taskId: "999999", status: "completed" },
      expect: "TaskList lists all items",
      isError: true,
    },
    {
      description: "Every field can change in one call",
      input: {
        taskId: "999999",
        subject: "Run all tests",
        description: "Run the tests of every package",
        activeForm: "Running all tests",
        status: "in_progress",
        addBlocks: ["3"],
        addBlockedBy: ["1"],
        owner: "tester",
        metadata: { priority: "high", draft: null },
      },
      expect: 'Cannot find the to-do item "999999"',
      isError: true,
    },
  ],
  permissions: { kinds: [], needs: () => [] },
  async run(args, ctx) {
    const { taskId, subject, description, activeForm, status, owner, metadata } = args;
    const { before, after, fields } = await ctx.todos.update(taskId, {
      ...{ content: subject, description, activeForm, status, owner },
      addBlocks: args.addBlocks?.map((id) => id),
      addBlockedBy: args.addBlockedBy?.map((id) => id),
      metadata: metadata as Record<string, Json> | undefined,
    });
    const statusChange = { from: before.status, to: after?.status ?? "deleted" };
    const isNewStatus = statusChange.from !== statusChange.to;
    const changes = fields.map((field) =>
      field === "status" ? `status: ${statusChange.from} → ${statusChange.to}` : field
    );
    const { id, content } = after ?? before;
    const text = after === undefined
      ? `Deleted to-do item ${id}: ${content}`
      : `${changes.length === 0 ? "Nothing changed in" : "Changed"} to-do item ${id}: ${content}` +
        (changes.length === 0 ? "" : `\n- ${changes.join("\n- ")}`);
    return withDataIfWanted(ctx, text, () => ({
      ...{ success: true, taskId: id, updatedFields: fields },
      ...(isNewStatus && { statusChange }),
    }));
  },
});
