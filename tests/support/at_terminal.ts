import xterm from "@xterm/headless";
import { executable } from "./executable.ts";
import { pause, until } from "./wait.ts";

// The first start prints on a terminal that it unpacks the program.
await new Deno.Command(executable, { args: ["--version"], stdout: "null" }).output();

/** The result of a run with all streams on a terminal. */
export interface Seen {
  /** The exit code. */
  code: number;
  /** The text that was written by stdout and stderr. */
  written: string;
  /** The lines of the screen at the end. */
  lines: string[];
  /** The lines that the terminal has broken because they are too long. */
  broken: string[];
}

/**
 * Runs the executable with all its streams on a terminal, as a user does. Presses each of `keys` when
 * its text was written.
 */
export async function atTerminal(
  args: readonly string[],
  { columns = 80, cwd, env, keys = [], pauseMs = 0, stdin, onText }: {
    columns?: number;
    cwd?: string;
    env?: Record<string, string>;
    keys?: readonly (readonly [wanted: string, pressed: string])[];
    /** The time between a text and its keys, for a test that nothing else is written meanwhile. */
    pauseMs?: number;
    /** A redirection of stdin, or of another stream, such as `< call.json`. */
    stdin?: string;
    /** Gets the text that was written so far. */
    onText?: (written: string) => void;
  } = {},
): Promise<Seen> {
  const command = [executable, ...args].map((arg) => `'${arg.replaceAll("'", "'\\''")}'`).join(" ");
  const child = new Deno.Command("script", {
    args: ["-qec", `stty cols ${columns} rows 50; ${command} ${stdin ?? ""}`, "/dev/null"],
    ...(cwd !== undefined && { cwd }),
    env: { TERM: "xterm-256color", NO_COLOR: "", ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const writer = child.stdin.getWriter();
  const terminal = new xterm.Terminal({
    ...{ cols: columns, rows: 50, scrollback: 10_000, allowProposedApi: true },
  });
  const decoder = new TextDecoder();
  let written = "";
  const read = (async () => {
    for await (const bytes of child.stdout) {
      written += decoder.decode(bytes, { stream: true });
      onText?.(written);
      await new Promise<void>((done) => terminal.write(bytes, done));
    }
  })();
  let from = 0;
  for (const [wanted, pressed] of keys) {
    if (!await until(() => written.includes(wanted, from))) {
      throw new Error(`Never written: ${wanted}; written was:\n${written}`);
    }
    from = written.indexOf(wanted, from) + wanted.length;
    if (pauseMs > 0) await pause(pauseMs, "Nothing may be written in this time.");
    await writer.write(new TextEncoder().encode(pressed));
  }
  const { code } = await child.status;
  await read;
  await writer.close().catch(() => {});
  const { active } = terminal.buffer;
  const all = Array.from({ length: active.length }, (_, at) => active.getLine(at)!);
  const lines = all.map((line) => line.translateToString(true));
  const broken = lines.filter((_, at) => all[at]!.isWrapped || all[at + 1]?.isWrapped);
  while (lines.at(-1) === "") lines.pop();
  terminal.dispose();
  return { code, written, lines, broken };
}
