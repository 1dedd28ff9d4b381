import xterm from "@xterm/headless";
import { executable } from "./executable.ts";

/** What a run on a terminal came to. */
export interface Shown {
  /** The exit code. */
  code: number;
  /** All that was written. */
  written: string;
  /** The lines that a person sees. */
  lines: string[];
  /** Those of the lines that are too long, so that the terminal has broken them. */
  broken: string[];
}

/** Runs the executable with its output on a terminal of so many columns, and its stderr on none. */
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

/** The text without the codes of colours; what else a terminal acts on stays in it. */
export function withoutColors(text: string): string {
  // deno-lint-ignore no-control-regex -- it is what is looked for
  return text.replace(/\x1b\[(?:0|1|2|31|32|33|36)m/g, "");
}
