import { withDataIfWanted } from "../src/base/content.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import { blockedItems, openBlockers } from "../src/toolkit/todos/describe_todo.ts";

export default defineTool({
  name: "TaskGet",
  title: "Read a to-do item",
  description:
    "Returns all fields of an item of the session's to-do list. For a background task use TaskOutput.",
  category: "agent",
  sideEffect: "read_only",
  idempotent: true,
  uses: ["todos"],
  requires: ["state"],
  optionality: "optional",
  usageHint: "To read the full description of a to-do item before working on it",
  inputSchema: {
    type: "object",
    properties: {
      taskId: { type: "string", description: "The id of the item.", minLength: 1 },
    },
    required: ["taskId"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "An unknown id: the error tells how to list the items",
      input: { taskId: "999999" },
      expect: "TaskList lists all items",
      isError: true,
    },
  ],
  permissions: { kinds: [], needs: () => [] },
  async run({ taskId }, ctx) {
    const all = await ctx.todos.list();
    const id = taskId.trim().replace(/^#/, "");
    const todo = all.find((each) => each.id === id);
    if (todo === undefined) {
      throw new Error(
        `Cannot find the to-do item ${JSON.stringify(taskId)}; TaskList lists all items`,
      );
    }
    const { content, description = "", status, activeForm, owner, metadata, blockedBy } = todo;
    const blocks = blockedItems(todo, all);
    const lines: [label: string, value: string | undefined][] = [
      ["description", description],
      ["activeForm", activeForm],
      ["owner", owner],
      ["blocks", blocks.join(", ")],
      ["blockedBy", blockedBy.join(", ")],
      ["still open of blockedBy", openBlockers(todo, all).join(", ")],
      ["metadata", metadata && JSON.stringify(metadata)],
    ];
    const facts = lines.flatMap(([label, value]) =>
      (value ?? "") === "" ? [] : `${label}: ${value}`
    );
    const text = [`${id}  ${status}  ${content}`, ...facts].join("\n");
    return withDataIfWanted(ctx, text, () => ({
      task: { id, subject: content, description, status, blocks, blockedBy },
    }));
  },
});
