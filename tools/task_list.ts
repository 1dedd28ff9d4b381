import { withDataIfWanted } from "../src/base/content.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import { openBlockers, todoLine } from "../src/toolkit/todos/describe_todo.ts";

export default defineTool({
  name: "TaskList",
  title: "List the to-do items",
  description:
    "Lists the items of the session's to-do list: id, status, subject, owner and the open items that each waits for. It does not list background tasks.",
  category: "agent",
  sideEffect: "read_only",
  idempotent: true,
  uses: ["todos"],
  requires: ["state"],
  optionality: "optional",
  usageHint: "To see the progress of the work, or to choose the next step",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
  examples: [
    { description: "List all items", input: {}, expect: "The to-do list" },
  ],
  permissions: { kinds: [], needs: () => [] },
  async run(_args, ctx) {
    const all = await ctx.todos.list();
    const head = all.length === 0
      ? "The to-do list is empty"
      : `The to-do list has ${all.length} ${all.length === 1 ? "item" : "items"}`;
    const text = [head, ...all.map((todo) => todoLine(todo, all))].join("\n");
    return withDataIfWanted(ctx, text, () => ({
      tasks: all.map((todo) => ({
        ...{ id: todo.id, subject: todo.content, status: todo.status },
        ...(todo.owner !== undefined && { owner: todo.owner }),
        blockedBy: openBlockers(todo, all),
      })),
    }));
  },
});
