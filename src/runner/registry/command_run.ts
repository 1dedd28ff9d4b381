import type { ToolOutput } from "../../base/content.ts";
import type { ToolContext } from "./tool_context.ts";

/** The forms of output that a command tool can declare. */
export const outputForms = [...["text", "json", "lines"] as const];

/** The form of a program's output. `json` and `lines` also become structured data. */
export type OutputForm = (typeof outputForms)[number];

/** One run of a program for a command tool, with the arguments of the call filled in. */
export interface CommandRun {
  /** The program, as a name in PATH or an absolute path. */
  program: string;
  /** Its arguments. */
  args: readonly string[];
  /** The text for its stdin. Without it, the stdin is empty. */
  stdin?: string;
  /** Additional environment variables. */
  env: Readonly<Record<string, string>>;
  /** The form of its stdout. */
  output: OutputForm;
  /** The exit codes of success. */
  exitCodes: readonly number[];
}

/** Runs the programs of command tools. */
export interface CommandRunner {
  /** Runs a program to its end. Throws if it fails, or if its output has another form. */
  runCommand(run: CommandRun, ctx: ToolContext): Promise<ToolOutput>;
}
