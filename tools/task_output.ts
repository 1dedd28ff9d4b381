import { describeTask } from "../src/toolkit/process/describe_task.ts";
import { defineTool } from "../src/runner/registry/define.ts";

export default defineTool({
  name: "TaskOutput",
  title: "Read a background task",
  description:
    "Returns a background task's status and its output so far (complete once it has ended). Waits for the end unless block is false. Long output is truncated in the middle, and the file with the full text is named.",
  category: "agent",
  sideEffect: "read_only",
  uses: ["tasks"],
  requires: ["state"],
  optionality: "optional",
  usageHint: "After run_in_background, to check progress or wait for the end",
  inputSchema: {
    type: "object",
    properties: {
      task_id: { type: "string", description: "The id of the task." },
      block: {
        type: "boolean",
        description: "Whether to wait for the end.",
        default: true,
      },
      timeout: {
        type: "integer",
        description: "The maximum time to wait, in milliseconds.",
        minimum: 0,
        maximum: 600_000,
        default: 30_000,
      },
    },
    required: ["task_id"],
    additionalProperties: false,
  },
  outputSchema: {
    type: "object",
    properties: {
      id: { type: "string", description: "The id of the task" },
      tool: { type: "string", description: "The tool that the task runs" },
      title: { type: "string", description: "The title of the task" },
      status: {
        type: "string",
        description: "The state of the task",
        enum: [
          ...["waiting", "running", "completed", "failed", "timed_out", "stopped", "lost"],
          "interrupted",
        ],
      },
      startedAt: { type: "number", description: "When it started, in milliseconds since 1970" },
      endedAt: { type: "number", description: "When it ended, if that is known" },
      text: { type: "string", description: "The answer of an ended task, or the output so far" },
      outputFile: {
        type: "string",
        description: "The file that holds the whole output, if it is on this machine",
      },
      worker: { type: "string", description: "The worker of a task that was started over NATS" },
    },
    required: ["id", "tool", "title", "status", "startedAt", "text"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "Wait for a task",
      input: { task_id: "task_0123456789abcdef0123" },
      expect: "Cannot find the background task",
      isError: true,
    },
    {
      description: "See how far it is without waiting",
      input: { task_id: "task_0123456789abcdef0123", block: false },
      expect: "toolcall tasks",
      isError: true,
    },
  ],
  permissions: { kinds: [], needs: () => [] },
  timeoutMs: ({ timeout }) => timeout + 30_000,
  async run({ task_id, block, timeout }, ctx) {
    const report = await ctx.tasks.read(task_id, block ? timeout : 0);
    return { content: describeTask(report), structuredContent: { ...report } };
  },
});
