import { type ArgumentProblem, problemIf } from "../src/base/argument_problem.ts";
import { programsInCommand } from "../src/toolkit/process/programs_in_command.ts";
import { runBash } from "../src/toolkit/process/run_bash.ts";
import { defineTool } from "../src/runner/registry/define.ts";

/** The time limits of a command, in milliseconds. */
const FOREGROUND = { usual: 120_000, max: 600_000 };
const BACKGROUND = { usual: 1_800_000, max: 7_200_000 };
/** The longest command for the shell of a session, in characters. */
const MAX_IN_SESSION = 1_000_000;

export default defineTool({
  name: "Bash",
  aliases: ["bash"],
  title: "Run a shell command",
  description:
    "Runs a command with bash in the working directory. Returns stdout and stderr in the order they were printed. There is no input. Output over 30,000 characters is truncated in the middle; the full text is saved to a file. A non-zero exit code is an error. Background processes are killed when the command ends; use run_in_background to keep them, or session for a shell that stays.",
  category: "build",
  sideEffect: "spawns",
  optionality: "optional",
  usageHint: "To build, test, or use a program for which there is no tool",
  background: true,
  shell: true,
  requires: ["bash"],
  inputSchema: {
    type: "object",
    properties: {
      command: {
        type: "string",
        description: "The command, in bash syntax.",
        minLength: 1,
      },
      timeout: {
        type: "integer",
        description:
          "Time limit in milliseconds. Default 120,000, maximum 600,000. In the background: default 1,800,000, maximum 7,200,000.",
        minimum: 1,
        maximum: BACKGROUND.max,
      },
      description: { type: "string", description: "The purpose of the command, for the user." },
      run_in_background: {
        type: "boolean",
        description:
          "Returns a task_id for TaskOutput and TaskStop immediately. The time limit applies.",
        default: false,
      },
      session: {
        type: "string",
        description:
          "The name of a shell that stays between calls and keeps its working directory, variables, functions and background jobs. It ends after 10 minutes without a call.",
        minLength: 1,
        maxLength: 200,
      },
      restart: {
        type: "boolean",
        description:
          "With session: ends the shell and all its jobs, and starts a new one. Needs no command.",
        default: false,
      },
      dangerouslyDisableSandbox: {
        type: "boolean",
        description: "Ignored if false. The flags of toolcall decide about the sandbox.",
        default: false,
      },
      _simulatedSedEdit: {
        type: "object",
        description: "Ignored: an edit that a client computed. The command runs instead.",
      },
    },
    required: ["command"],
    additionalProperties: false,
  },
  examples: [
    {
      description: "Count lines",
      input: { command: "wc -l < hello.txt" },
      expect: "2",
      flags: ["--allow-run=bash,wc", "--allow-read=."],
    },
    {
      description: "See why a program fails",
      input: { command: "echo to stderr >&2; exit 3" },
      expect: "to stderr\nExit code 3",
      isError: true,
    },
  ],
  ignores: ["_simulatedSedEdit"],
  rules: (args) => problemsOf(args),
  permissions: {
    kinds: ["run"],
    needs: () => [{ name: "run", command: "bash" }],
    likely: ({ command }) => programsInCommand(command),
  },
  timeoutMs: ({ timeout, run_in_background }) =>
    timeout ?? (run_in_background ? BACKGROUND : FOREGROUND).usual,
  async run(args, ctx) {
    if (args.dangerouslyDisableSandbox && ctx.isSandboxed) {
      throw new Deno.errors.NotCapable(
        "Permission denied: a call cannot disable the sandbox; needs --unconfined-run",
      );
    }
    return await runBash(args, ctx);
  },
});

/** The problems of arguments that do not fit together. */
function problemsOf(
  { command, session, restart, timeout = 0, run_in_background = false }: {
    command: string;
    session?: string | undefined;
    restart?: boolean | undefined;
    timeout?: number | undefined;
    run_in_background?: boolean | undefined;
  },
): ArgumentProblem[] {
  const isInSession = session !== undefined;
  return [
    ...problemIf(
      !run_in_background && timeout > FOREGROUND.max,
      "/timeout",
      `must be at most ${FOREGROUND.max}, got ${timeout}; with run_in_background it may be up to ` +
        BACKGROUND.max,
    ),
    ...problemIf(
      restart === true && !isInSession,
      "/restart",
      "needs session, which names the shell",
    ),
    ...problemIf(
      isInSession && run_in_background,
      "/run_in_background",
      'cannot be combined with session; end the command with "&" instead',
    ),
    ...problemIf(
      isInSession && command.includes("\0"),
      "/command",
      "contains a NUL character",
    ),
    ...problemIf(
      isInSession && command.length > MAX_IN_SESSION,
      "/command",
      `has over ${MAX_IN_SESSION} characters; write it to a file, and run the file`,
    ),
  ];
}
