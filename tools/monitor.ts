import { problemIf } from "../src/base/argument_problem.ts";
import { interruptionOf } from "../src/base/async/interruption.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import { KeptOutput } from "../src/toolkit/process/kept_output.ts";
import { programsInCommand } from "../src/toolkit/process/programs_in_command.ts";
import { runToEnd } from "../src/toolkit/process/run_to_end.ts";

/** The longest time that a command is watched, in milliseconds. */
const MAX_MS = 1_800_000;

/** The part of stderr that the result of a failed command has, in characters. */
const MAX_ERROR = 2_000;

export default defineTool({
  name: "Monitor",
  title: "Watch a command",
  description:
    "Starts a command in the background and returns a task_id immediately. Each line that it prints to stdout is an event. TaskOutput returns the events so far, and TaskStop ends the command. It also ends at timeout_ms. Print only lines that matter, for example with grep --line-buffered.",
  category: "build",
  sideEffect: "spawns",
  optionality: "optional",
  usageHint: "To watch a log, a build or a server while working on something else",
  background: "always",
  requires: ["bash", "state"],
  inputSchema: {
    type: "object",
    properties: {
      description: {
        type: "string",
        description: "The purpose of the watch, for the user.",
        minLength: 1,
      },
      timeout_ms: {
        type: "integer",
        description: "The time limit in milliseconds. A value over 1,800,000 counts as 1,800,000.",
        minimum: 1,
        default: 300_000,
      },
      command: { type: "string", description: "The command, in bash syntax.", minLength: 1 },
      ws: {
        type: "object",
        description: "A WebSocket cannot be watched. Use a command that prints its messages.",
        properties: {
          url: { type: "string", description: "Its address." },
          protocols: { type: "array", items: { type: "string" }, description: "Its protocols." },
        },
        required: ["url"],
        additionalProperties: false,
      },
    },
    required: ["description"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "Watch a build",
      input: {
        description: "The steps of the build",
        timeout_ms: 60_000,
        command: "for step in compile link; do echo $step; done",
      },
      expect: "read it with TaskOutput",
    },
    {
      description: "Without a command there is nothing to watch",
      input: { description: "Messages", ws: { url: "wss://example.com", protocols: ["chat"] } },
      expect: "websocat --protocol=chat wss://example.com",
      isError: true,
    },
  ],
  rules({ command, ws }) {
    const isMissing = command === undefined && ws === undefined;
    if (ws === undefined) return problemIf(isMissing, "/command", "required (string)");
    const why = "a watch runs a program, and none opens a WebSocket by itself";
    const how = "give a command that prints the messages instead";
    const { url, protocols = [] } = ws;
    const option = protocols.length === 0 ? "" : `--protocol=${protocols.join(",")} `;
    const example = `"websocat ${option}${url}" with --allow-run=bash,websocat and --allow-net`;
    return [{ path: "/ws", message: `${why}; ${how}, such as ${example}` }];
  },
  permissions: {
    kinds: ["run"],
    needs: () => [{ name: "run", command: "bash" }],
    likely: ({ command = "" }) => programsInCommand(command),
  },
  timeoutMs: ({ timeout_ms }) => Math.min(timeout_ms, MAX_MS),
  async run({ command = "" }, ctx) {
    const program = ctx.spawn("bash", ["-c", command]);
    const events = new KeptOutput(30_000, () => program.openOutput(), { atOnce: ctx.background });
    const decoder = new TextDecoder();
    let errors = "";
    const { code, signal, interrupted } = await runToEnd(program, {
      signal: ctx.signal,
      follow: ctx.followOutput,
      stdout: (chunk) => events.add(chunk),
      stderr: (chunk) =>
        errors = (errors + decoder.decode(chunk, { stream: true })).slice(-MAX_ERROR),
    });
    events.close();
    const text = events.text();
    const end = (line: string) => `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${line}`;
    if (interrupted) {
      const isLate = interruptionOf(ctx.signal) === "timeout";
      throw new Error(end(isLate ? ctx.signal.reason.message : "The watch was stopped"));
    }
    if (code === 0 && signal === null) return end("The command has ended, and the watch with it");
    const why = signal === null ? `Exit code ${code}` : `Ended by ${signal}`;
    throw new Error(end([errors.trimEnd(), why].filter((line) => line !== "").join("\n")));
  },
});
