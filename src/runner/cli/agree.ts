import { askUser } from "../ask/ask_user.ts";
import { callersEnvironment } from "../sandbox/executors/environment.ts";
import type { CommandLine, Process } from "./command.ts";

/** Whether the user agrees: by `--yes`, or at a terminal. `yes` describes that answer. */
export async function isAgreed(
  line: CommandLine,
  { stdin, stderr }: Pick<Process, "stdin" | "stderr">,
  { question, header, yes }: { question: string; header: string; yes: string },
): Promise<boolean> {
  if (line.options.has("yes")) return true;
  if (!stdin.isTerminal() || !stderr.isTerminal()) return false;
  const options = [
    { label: "No", description: "Change nothing" },
    { label: "Yes", description: yes },
  ];
  const answers = await askUser([{ question, header, options, multiSelect: false }], {
    ...{ screen: stderr, env: callersEnvironment() },
    signal: new AbortController().signal,
  });
  return answers[question] === "Yes";
}
