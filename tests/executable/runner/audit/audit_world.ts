/** A working directory with an audit log, and the lines of the log. */
import { expect } from "@std/expect";
import { temporaryDirectory } from "../../../support/executable.ts";

/** A line of the log. */
export interface Line {
  time: string;
  tool: string | null;
  asked?: string;
  arguments: Record<string, unknown> | null;
  needs: Record<string, unknown>[] | null;
  sandbox: Record<"flags" | "runtime" | "kernel", string | null>;
  refusedBy: string | null;
  code: string | null;
  exit: number;
  durationMs: number;
  session: string;
  pid: number;
  cwd: string;
  task?: string;
}

/** A working directory with a file, and a log in another directory. */
export function world() {
  const [directory, other] = [temporaryDirectory(), temporaryDirectory()];
  Deno.writeTextFileSync(`${directory.path}/file.txt`, "what is inside\n");
  const log = `${other.path}/log.jsonl`;
  return {
    directory: directory.path,
    log,
    state: `--state-dir=${other.path}/state`,
    flags: [`--audit=${log}`, `--state-dir=${other.path}/state`, "--session=test"],
    /** The lines, parsed from JSON. */
    lines: (): Line[] => {
      const text = Deno.readTextFileSync(log);
      expect(text).toMatch(/^([\x20-\x7e]+\n)*$/);
      return text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
    },
    [Symbol.dispose]() {
      directory[Symbol.dispose]();
      other[Symbol.dispose]();
    },
  };
}

/** The parts of a line that most tests compare. */
export const brief = (
  { tool, asked, code, refusedBy }: Line,
) => [tool, asked ?? null, code, refusedBy];
