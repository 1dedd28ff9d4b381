import xterm from "@xterm/headless";
import { executable } from "./executable.ts";

/** The result of a run on a terminal. */
export interface Shown {
  /** The exit code. */
  code: number;
  /** All that was written. */
  written: string;
  /** The lines that the user sees. */
  lines: string[];
  /** The lines that the terminal has broken because they are too long. */
  broken: string[];
}

/** Runs the executable with its stdout on a terminal of `columns` columns. Its stderr is no terminal. */
export async function onTerminal(
  args: readonly string[],
  { columns, cwd, env }: { columns: number; cwd?: string; env?: Record<string, string> },
): Promise<Shown> {
  const command = [executable, ...args].map((arg) => `'${arg}'`).join(" ");
  const { code, stdout } = await new Deno.Command("script", {
    args: ["-qec", `stty cols ${columns} rows 50; ${command} 2> /dev/null`, "/dev/null"],
    ...(cwd !== undefined && { cwd }),
    env: { TERM: "xterm-256color", NO_COLOR: "", ...env },
    stdin: "null",
    stderr: "inherit",
  }).output();
  const terminal = new xterm.Terminal({
    ...{ cols: columns, rows: 50, scrollback: 10_000, allowProposedApi: true },
  });
  await new Promise<void>((done) => terminal.write(stdout, done));
  const { active } = terminal.buffer;
  const all = Array.from({ length: active.length }, (_, at) => active.getLine(at)!);
  const lines = all.map((line) => line.translateToString(true));
  const broken = lines.filter((_, at) => all[at]!.isWrapped || all[at + 1]?.isWrapped);
  while (lines.at(-1) === "") lines.pop();
  terminal.dispose();
  return { code, written: new TextDecoder().decode(stdout), lines, broken };
}

/** Removes the codes of colors from a text. Other control codes stay. */
export function withoutColors(text: string): string {
  // deno-lint-ignore no-control-regex -- The pattern looks for control codes.
  return text.replace(/\x1b\[(?:0|1|2|31|32|33|36)m/g, "");
}
