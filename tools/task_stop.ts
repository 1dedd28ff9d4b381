import { problemIf } from "../src/base/argument_problem.ts";
import { describeTask } from "../src/toolkit/process/describe_task.ts";
import { withDataIfWanted } from "../src/base/content.ts";
import { defineTool } from "../src/runner/registry/define.ts";

export default defineTool({
  name: "TaskStop",
  aliases: ["KillShell"],
  title: "Stop a background task",
  description:
    "Stops a background task and everything that it started (SIGTERM, then SIGKILL). Returns what was stopped and its output. A task that has ended is left alone.",
  category: "agent",
  sideEffect: "mutating",
  idempotent: true,
  uses: ["tasks"],
  requires: ["state"],
  optionality: "optional",
  usageHint: "When a background task, such as a server, is no longer needed",
  inputSchema: {
    type: "object",
    properties: {
      task_id: { type: "string", description: "The id of the task." },
      shell_id: { type: "string", description: "The older name of task_id." },
    },
    additionalProperties: false,
  },
  examples: [
    {
      description: "Stop a task",
      input: { task_id: "task_0123456789abcdef0123" },
      expect: "Cannot find the background task",
      isError: true,
    },
    {
      description: "An unknown id: the error tells how to list tasks",
      input: { task_id: "server" },
      expect: "toolcall tasks",
      isError: true,
    },
  ],
  rules: ({ task_id, shell_id }) => [
    ...problemIf(
      task_id === undefined && shell_id === undefined,
      "/task_id",
      "required (string): the id that the call was answered with",
    ),
    ...problemIf(
      task_id !== undefined && shell_id !== undefined && shell_id !== task_id,
      "/shell_id",
      "must be equal to /task_id when both are given",
    ),
  ],
  permissions: {
    kinds: [],
    needs: () => [],
  },
  async run({ task_id, shell_id }, ctx) {
    const report = await ctx.tasks.stop(task_id ?? shell_id ?? "");
    const text = describeTask(report);
    return withDataIfWanted(ctx, text, () => ({
      message: text.split("\n")[0],
      task_id: report.id,
      task_type: report.tool === "Bash" ? "local_bash" : "local_agent",
      command: report.title,
    }));
  },
});
