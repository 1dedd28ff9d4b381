/** A directory with the program of the policy tests, and calls of it with their own state. */
import { type Result, type Run, temporaryDirectory } from "../../../../support/executable.ts";
import { Peer } from "../../../../support/mcp/peer.ts";
import { policyProgram } from "./program.ts";

const programDirectory = temporaryDirectory();
globalThis.addEventListener("unload", () => programDirectory[Symbol.dispose]());
const program = await policyProgram(programDirectory.path);

/** The outcome of a call of the program. */
export interface Called extends Result {
  exit: number;
  text: string;
}

/** A directory with its own state, and functions that call the tools there. */
export function desk(flags: string[] = []) {
  const directory = temporaryDirectory();
  const all = [...flags, `--state-dir=${directory.path}/state`];
  const lines = `${directory.path}/lines`;
  const command = (args: string[], env: Record<string, string> = {}) =>
    new Deno.Command(program, {
      args,
      env,
      cwd: directory.path,
      ...{ stdin: "null", stdout: "piped", stderr: "piped" },
    });
  const run = async (args: string[], env?: Record<string, string>): Promise<Run> => {
    const { code, stdout, stderr } = await command(args, env).output();
    const decoder = new TextDecoder();
    return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  };
  return {
    path: directory.path,
    lines,
    command,
    run,
    /** Returns how many calls of the tool `limited` have begun. */
    begun: () => linesOf(lines),
    async call(
      name: string,
      args: Record<string, unknown> = { path: "lines" },
      { own = all, env = {} }: { own?: string[]; env?: Record<string, string> } = {},
    ): Promise<Called> {
      const { code, stdout, stderr } = await run([...own, name, JSON.stringify(args)], env);
      if (stdout === "") throw new Error(stderr);
      const result = JSON.parse(stdout) as Result;
      return { ...result, exit: code, text: result.content[0]!.text };
    },
    serve: () => Peer.start(all, { program: { command: program, args: [] }, cwd: directory.path }),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

/** The number of lines in a file, which need not exist. */
export function linesOf(path: string): number {
  try {
    return Deno.readTextFileSync(path).split("\n").length - 1;
  } catch {
    return 0;
  }
}

/** The flag of a call that may write in its working directory. */
export const SCOPED = "--allow-write=.";
