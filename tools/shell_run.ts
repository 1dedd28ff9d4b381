import { programsInCommand } from "../src/toolkit/process/programs_in_command.ts";
import { runShellCommands } from "../src/toolkit/process/shell_commands.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import { shellOutputSchema } from "../src/toolkit/process/shell_output_schema.ts";

/** Answers the item `shell_call` of OpenAI's Responses. */
export default defineTool({
  name: "shell.run",
  aliases: ["shell_run"],
  title: "Run shell commands",
  category: "build",
  sideEffect: "spawns",
  optionality: "optional",
  usageHint: "When a model calls the shell of its vendor",
  requires: ["bash"],
  inputSchema: {
    type: "object",
    properties: {
      commands: {
        type: "array",
        description: "The commands, in bash syntax. They run one after the other.",
        items: { type: "string", minLength: 1 },
        minItems: 1,
        maxItems: 100,
      },
      timeout_ms: {
        type: "integer",
        description: "Time limit of all commands together, in milliseconds. Default 120,000.",
        minimum: 1,
        maximum: 7_200_000,
      },
      max_output_length: {
        type: "integer",
        description: "The most characters of each command's output. Default 30,000.",
        minimum: 0,
        maximum: 1_000_000,
      },
    },
    required: ["commands"],
    additionalProperties: false,
  },
  outputSchema: shellOutputSchema,
  examples: [
    {
      description: "A command that fails does not stop the next one",
      input: { commands: ["wc -l < hello.txt; exit 3", "echo second"], timeout_ms: 60_000 },
      expect: "Exit code 3\nsecond",
      flags: ["--allow-run=bash,wc", "--allow-read=."],
    },
    {
      description: "Cut the output",
      input: { commands: ["echo abcdef"], max_output_length: 3 },
      expect: "abc",
    },
  ],
  permissions: {
    kinds: ["run"],
    needs: () => [{ name: "run", command: "bash" }],
    likely: ({ commands }) => [...new Set(commands.flatMap(programsInCommand))],
  },
  timeoutMs: ({ timeout_ms = 120_000 }) => timeout_ms,
  run: ({ commands, max_output_length }, ctx) =>
    runShellCommands(commands, { maxLength: max_output_length }, ctx),
});
