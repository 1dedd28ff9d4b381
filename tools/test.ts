import { KeptOutput } from "../src/toolkit/process/kept_output.ts";
import { quotePath } from "../src/base/text/quote.ts";
import { runToEnd } from "../src/toolkit/process/run_to_end.ts";
import { defineTool } from "../src/runner/registry/define.ts";
import { interruptionOf } from "../src/base/async/interruption.ts";

export default defineTool({
  name: "test",
  title: "Run the tests",
  description:
    "Runs a project's tests, as its files suggest: deno.json, package.json, Cargo.toml, go.mod, pyproject.toml and similar (pytest), Makefile. Returns the command. A failure includes the exit code, the failed tests if the runner is known, and the end of the output. Output over 12,000 characters is truncated in the middle; the full text is saved to a file. There is no input.",
  category: "build",
  sideEffect: "spawns",
  optionality: "optional",
  usageHint: "To check whether a project's tests pass after a change",
  requires: ["bash"],
  inputSchema: {
    type: "object",
    properties: {
      path: {
        type: "string",
        minLength: 1,
        default: ".",
        description: "The project's directory, absolute or relative to the working directory.",
      },
      runner: {
        type: "string",
        enum: ["deno", "node", "cargo", "go", "python", "make"],
        description:
          "The test runner, if the directory has more than one. Default: the first of this list.",
      },
      timeout: {
        type: "integer",
        description: "The time limit in milliseconds.",
        minimum: 1,
        maximum: 600_000,
        default: 600_000,
      },
    },
    additionalProperties: false,
  },
  examples: [
    {
      description: "Run the tests of a project",
      input: { path: "$ROOT/project" },
      flags: ["--allow-all"],
      expect: "2 passed",
    },
    {
      description: "A directory without tests",
      input: { path: "src" },
      expect: "no file of it says how",
      isError: true,
    },
  ],
  permissions: {
    kinds: ["run", "read"],
    needs: ({ path }) => [{ name: "run", command: "bash" }, { name: "read", path }],
  },
  timeoutMs: (args) => args.timeout,
  async run({ path, runner }, ctx) {
    const command = await import("../src/toolkit/process/test_command.ts");
    const { FailingTests, missingRunner, projectFiles, testCommands } = command;
    const directory = ctx.path(path);
    const commands = testCommands(projectFiles(directory));
    const chosen = commands.find((each) => runner === undefined || each.runner === runner);
    if (chosen === undefined) {
      const names = commands.map((each) => each.runner).join(", ");
      throw new Error(
        `Cannot run the tests in ${quotePath(path)}: ` +
          (names === ""
            ? "no file of it says how; give the directory of the project, or use Bash"
            : `no file of it says how ${runner} runs them; it has ${names}`),
      );
    }
    const script = 'cd -- "$1" && exec "$BASH" -c "$2" 2>&1';
    const program = ctx.spawn("bash", ["-c", script, "bash", directory, chosen.command], {
      // With these, runners print no colours and do not wait for changes.
      env: { NO_COLOR: "1", CI: "1" },
    });
    const form = { atOnce: ctx.background, isShown: true };
    const output = new KeptOutput(12_000, () => program.openOutput(), form);
    const failing = new FailingTests();
    const ended = await runToEnd(program, {
      signal: ctx.signal,
      follow: ctx.followOutput,
      stdout: (chunk) => {
        output.add(chunk);
        failing.add(chunk);
      },
    });
    output.close();
    const what = `${chosen.command} (${chosen.because})`;
    const text = output.text().replace(/\n+$/, "") || "It printed nothing";
    if (ended.code === 0 && !ended.interrupted) return `${what}: exit code 0\n\n${text}`;
    const missing = missingRunner(chosen, { code: ended.code, output: text });
    if (missing !== undefined) throw missing;
    const { names, more } = failing.end();
    const how = ended.interrupted
      ? interruptionOf(ctx.signal) === "timeout"
        ? `was ended: ${ctx.signal.reason.message}`
        : "was cancelled"
      : ended.signal !== null
      ? `was ended by ${ended.signal}`
      : `failed with exit code ${ended.code}`;
    const list = names.length === 0 ? [] : [
      "Failed:",
      ...names.map((name) => `- ${name}`),
      ...(more > 0 ? [`[${more} more]`] : []),
      "",
    ];
    throw new Error([`${what} ${how}`, ...list, text].join("\n"), {
      cause: {
        exitCode: ended.code,
        failed: names,
        ...(output.path !== undefined && { outputFile: output.path }),
      },
    });
  },
});
