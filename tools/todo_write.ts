import { problemIf } from "../src/base/argument_problem.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import type { Todo } from "../src/runner/registry/todos_service.ts";

/** An item of the list, as far as this tool knows it. */
type Item = Pick<Todo, "content" | "status" | "activeForm">;

export default defineTool({
  name: "TodoWrite",
  title: "Write the to-do list",
  description:
    "Replaces the session's to-do list and returns the changes. At most one item is in progress. " +
    "An empty list clears it. TaskCreate and TaskUpdate change single items of the same list.",
  category: "agent",
  sideEffect: "none",
  destructive: false,
  idempotent: true,
  uses: ["todos"],
  requires: ["state"],
  optionality: "optional",
  usageHint: "To track work of several steps and show its progress",
  inputSchema: {
    type: "object",
    properties: {
      todos: {
        type: "array",
        description: "The complete list, in order.",
        maxItems: 1000,
        items: {
          type: "object",
          properties: {
            content: {
              type: "string",
              description: "The task, such as: Run the tests.",
              minLength: 1,
            },
            status: {
              type: "string",
              description: "The state.",
              enum: ["pending", "in_progress", "completed"],
            },
            activeForm: {
              type: "string",
              description: "The task while it is in progress, such as: Running the tests.",
              minLength: 1,
            },
          },
          required: ["content", "status", "activeForm"],
          additionalProperties: false,
        },
      },
    },
    required: ["todos"],
    additionalProperties: false,
  },
  outputSchema: {
    type: "object",
    properties: {
      changes: {
        type: "array",
        description: "The changes, one item for each",
        items: { type: "string" },
      },
      completed: { type: "integer", description: "How many items are completed" },
      in_progress: { type: "integer", description: "How many items are in progress" },
      pending: { type: "integer", description: "How many items are pending" },
    },
    required: ["changes", "completed", "in_progress", "pending"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "Start with two things to do",
      input: {
        todos: [
          { content: "Read the code", status: "in_progress", activeForm: "Reading the code" },
          { content: "Run the tests", status: "pending", activeForm: "Running the tests" },
        ],
      },
      expect: 'added "Read the code" (in progress)',
    },
    {
      description: "Two things cannot be in progress",
      input: {
        todos: [
          { content: "Read the code", status: "in_progress", activeForm: "Reading the code" },
          { content: "Run the tests", status: "in_progress", activeForm: "Running the tests" },
        ],
      },
      expect: "at most one",
      isError: true,
    },
  ],
  rules({ todos }) {
    const active = todos.filter(({ status }) => status === "in_progress");
    const names = active.map(({ content }) => JSON.stringify(content)).join(", ");
    const why = `at most one item can be in_progress, not ${active.length}: ${names}`;
    return problemIf(active.length > 1, "/todos", why);
  },
  permissions: {
    kinds: [],
    needs: () => [],
  },
  async run({ todos }, ctx) {
    const kept = todos.map(({ content, status, activeForm }) => ({ content, status, activeForm }));
    const before = await ctx.todos.replace(kept);
    const changes = changesBetween(before, todos);
    const count = (status: Todo["status"]) => todos.filter((each) => each.status === status).length;
    const completed = count("completed");
    const in_progress = count("in_progress");
    const pending = count("pending");
    const now = todos.length === 0
      ? "The to-do list is empty"
      : `The to-do list has ${todos.length} ${todos.length === 1 ? "item" : "items"}: ` +
        `${completed} completed, ${in_progress} in progress, ${pending} pending`;
    const oldTodos = before.map(({ content, status, activeForm = content }) => (
      { content, status, activeForm }
    ));
    const data = ctx.structured ? { oldTodos, newTodos: kept } : {};
    return {
      content: [now, ...changes.length > 0 ? changes : ["nothing changed"]].join("\n- "),
      structuredContent: { ...data, changes, completed, in_progress, pending },
    };
  },
});

/** The changes between two lists, one item a line. Items of the same text are matched in order. */
function changesBetween(before: readonly Item[], after: readonly Item[]): string[] {
  const left = [...before];
  const changes = after.flatMap(({ content, status }) => {
    const at = left.findIndex((each) => each.content === content);
    if (at < 0) return [`added ${JSON.stringify(content)} (${words(status)})`];
    const [old] = left.splice(at, 1);
    if (old!.status === status) return [];
    return [`${JSON.stringify(content)}: ${words(old!.status)} → ${words(status)}`];
  });
  return [
    ...changes,
    ...left.map(({ content, status }) => `removed ${JSON.stringify(content)} (${words(status)})`),
  ];
}

function words(status: Todo["status"]): string {
  return status.replace("_", " ");
}
