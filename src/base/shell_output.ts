/** How a command ended, as OpenAI's Responses say it. */
export type ShellOutcome = { type: "exit"; exit_code: number } | { type: "timeout" };

/** The output of one command of a shell call, as OpenAI's Responses have it. */
export interface ShellOutput {
  /** Its standard output. */
  stdout: string;
  /** Its standard error. */
  stderr: string;
  /** How it ended. */
  outcome: ShellOutcome;
}

/** The outputs of commands as one text, in the order of the commands. */
export function shellText(outputs: readonly ShellOutput[]): string {
  return outputs.map(({ stdout, stderr, outcome }) => {
    const ending = outcome.type === "timeout"
      ? "Timed out"
      : outcome.exit_code === 0
      ? ""
      : `Exit code ${outcome.exit_code}`;
    const parts = [stdout, stderr, ending].filter((part) => part !== "");
    return parts.map((part) => part.replace(/\n$/, "")).join("\n") || "The command printed nothing";
  }).join("\n");
}
