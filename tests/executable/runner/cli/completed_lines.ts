/** The command lines that the completions are tried with in each shell. */
import { expect } from "@std/expect";
import { executable, temporaryDirectory } from "../../../support/executable.ts";

/** A command line up to the cursor, words that are offered, and words that are not. */
const LINES: readonly [line: string, offered: string[], missing: string[]][] = [
  ["toolcall li", ["list"], ["describe"]],
  ["toolcall fs.", ["fs.read", "fs.list"], ["list"]],
  ["toolcall mcp ins", ["install"], ["list"]],
  ["toolcall mcp install cu", ["cursor"], ["zed"]],
  ["toolcall list --bundle=co", ["--bundle=code_agent"], ["--bundle=read_only"]],
  ["toolcall list --category=", ["--category=code", "--category=vcs"], ["--effect=none"]],
  ["toolcall doctor --format=", ["--format=json"], ["--format=openai"]],
  ["toolcall --allow-read=. fs.read pa", ["path="], ["list"]],
  ["toolcall Grep output_mode=", ["output_mode=content"], ["pattern="]],
  ["toolcall help ex", ["exit-codes"], ["permissions"]],
  ["toolcall describe Re", ["Read"], ["describe"]],
  ["toolcall completions ", ["bash", "zsh", "fish"], ["Read"]],
];

/**
 * Completes each line with a command, which gets the line as its last argument and prints the words
 * that are offered, one on each line.
 */
export async function completesLines([program, ...args]: readonly string[]): Promise<void> {
  using directory = temporaryDirectory();
  Deno.symlinkSync(executable, `${directory.path}/toolcall`);
  for (const [line, offered, missing] of LINES) {
    const { stdout } = await new Deno.Command(program!, {
      args: [...args, line],
      cwd: directory.path,
      env: { PATH: `${directory.path}:${Deno.env.get("PATH")}` },
      stdin: "null",
    }).output();
    const words = new TextDecoder().decode(stdout).split("\n").map((word) => word.trim());
    expect({ line, words: offered.filter((word) => !words.includes(word)) })
      .toEqual({ line, words: [] });
    expect({ line, words: missing.filter((word) => words.includes(word)) })
      .toEqual({ line, words: [] });
  }
}
