import { describeTask } from "../src/toolkit/process/describe_task.ts";
import { defineTool } from "../src/runner/registry/define.ts";

export default defineTool({
  name: "TaskOutput",
  title: "Read a background task",
  description:
    "Tells how a background task stands, and its output: what there is so far, or all that it was " +
    "answered with once it has ended. Waits for the end unless block is false. Of long output the " +
    "head and the tail come, and the file that holds the whole is named",
  category: "agent",
  sideEffect: "read_only",
  uses: ["tasks"],
  requires: ["state"],
  optionality: "optional",
  usageHint: "After a call with run_in_background, to see how far it is or to wait for its end",
  inputSchema: {
    type: "object",
    properties: {
      task_id: { type: "string", description: "The id that the call was answered with" },
      block: {
        type: "boolean",
        description: "Whether to wait until the task has ended",
        default: true,
      },
      timeout: {
        type: "integer",
        description: "How long to wait at most, in milliseconds",
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
      id: { type: "string", description: "The id" },
      tool: { type: "string", description: "The tool that it is a call of" },
      title: { type: "string", description: "What it does" },
      status: {
        type: "string",
        description: "How it stands",
        enum: ["running", "completed", "failed", "timed_out", "stopped", "lost"],
      },
      startedAt: { type: "number", description: "When it started, in milliseconds since 1970" },
      endedAt: { type: "number", description: "When it ended, if that is known" },
      text: { type: "string", description: "The answer, else the output so far" },
      outputFile: { type: "string", description: "The file that holds its whole output" },
    },
    required: ["id", "tool", "title", "status", "startedAt", "text", "outputFile"],
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
