import { runProgram } from "../src/toolkit/process/shell_commands.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import { shellOutputSchema } from "../src/toolkit/process/shell_output_schema.ts";

/** Answers the item `local_shell_call` of OpenAI's Responses. */
export default defineTool({
  name: "shell.exec",
  aliases: ["shell_exec"],
  title: "Run a program",
  category: "build",
  sideEffect: "spawns",
  optionality: "optional",
  usageHint: "When a model calls the local shell of its vendor",
  inputSchema: {
    type: "object",
    properties: {
      command: {
        type: "array",
        description: "The program and its arguments.",
        items: { type: "string" },
        minItems: 1,
      },
      env: {
        type: "object",
        description: "Additional environment variables.",
        additionalProperties: { type: "string" },
      },
      working_directory: {
        type: "string",
        description: "The directory to run it in. Default: the working directory of the call.",
        minLength: 1,
      },
      timeout_ms: {
        type: "integer",
        description: "Time limit in milliseconds. Default 120,000.",
        minimum: 1,
        maximum: 7_200_000,
      },
    },
    required: ["command"],
    additionalProperties: false,
  },
  outputSchema: shellOutputSchema,
  examples: [
    {
      description: "Count lines",
      input: { command: ["wc", "-l", "hello.txt"], timeout_ms: 60_000 },
      expect: "2 hello.txt",
      flags: ["--allow-run=wc", "--allow-read=."],
    },
    {
      description: "In another directory, with a variable",
      input: {
        command: ["bash", "-c", "echo $GREETING; pwd"],
        env: { GREETING: "Hello" },
        working_directory: "$ROOT",
      },
      expect: "Hello\n",
    },
  ],
  permissions: {
    kinds: ["run", "read"],
    needs: ({ command: [program = ""], working_directory: path }) => [
      { name: "run", command: program },
      ...(path === undefined ? [] : [{ name: "read" as const, path }]),
    ],
  },
  timeoutMs: ({ timeout_ms = 120_000 }) => timeout_ms,
  run: ({ command, env = {}, working_directory: path }, ctx) =>
    runProgram(command, { env, cwd: path === undefined ? undefined : ctx.path(path) }, ctx),
});
