/**
 * Runs the built executable, as a caller would. A test file that imports this module fails at once
 * when `dist/toolcall` is missing or older than the sources, and says how to build it.
 */
import { fileURLToPath } from "node:url";
import { buildFault } from "../../scripts/build_fault.ts";
import { killWhenStuck } from "./wait.ts";

export { temporaryDirectory } from "./temporary_directory.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const fault = buildFault(root);
if (fault !== undefined) throw new Error(fault);

/** The path of the built executable. */
export const executable = `${root}dist/toolcall`;

/** The exit code and the output of a run of the executable. */
export interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

/** A result on stdout. */
export interface Result {
  content: { type: string; text: string; data?: string; mimeType?: string }[];
  isError: boolean;
  structuredContent?: Record<string, unknown>;
  _meta?: {
    "toolcall/error": { code: string } & Record<string, unknown>;
    "toolcall/task": { id: string };
  };
}

/** The time limit of a run, in milliseconds. It only ends a run that hangs. */
const MAX_RUN_MS = 15 * 60_000;

/** A command instead of the built executable. Its arguments come before those of the caller. */
export interface OtherProgram {
  command: string;
  args: readonly string[];
}

/** Runs the executable with `stdin` as its whole input, and waits for its end. */
export async function toolcall(
  args: string[],
  options: {
    stdin?: string | Uint8Array;
    cwd?: string;
    env?: Record<string, string>;
    program?: OtherProgram | undefined;
  } = {},
): Promise<Run> {
  const { program = { command: executable, args: [] } } = options;
  const child = new Deno.Command(program.command, {
    args: [...program.args, ...args],
    ...(options.cwd && { cwd: options.cwd }),
    ...(options.env && { env: options.env }),
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const { stdin = "" } = options;
  const input = typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin;
  // The program may stop reading before the end.
  const written = writer.write(input).then(() => writer.close()).catch(() => {});
  using _ = killWhenStuck(child, MAX_RUN_MS);
  const { code, stdout, stderr } = await child.output();
  await written;
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** Runs one call and returns its result, which must be one line of JSON on stdout. */
export async function call(
  name: string,
  args: Record<string, unknown>,
  options: { flags?: string[]; cwd?: string; env?: Record<string, string> } = {},
): Promise<Result & { exit: number; text: string }> {
  const run = await toolcall(options.flags ?? [], {
    ...options,
    stdin: JSON.stringify({ name, arguments: args }),
  });
  const result = oneLine(run) as Result;
  return { ...result, exit: run.code, text: result.content[0]?.text ?? "" };
}

/** Returns the value on stdout. Throws if stdout is not one line of JSON, or for a stack trace. */
export function oneLine({ stdout, stderr }: Run): unknown {
  const lines = stdout.split("\n");
  if (lines.length !== 2 || lines[1] !== "") {
    throw new Error(`stdout is not one line: ${JSON.stringify(stdout.slice(0, 500))}; ${stderr}`);
  }
  if (/\n\s+at .*:\d+:\d+/.test(stdout + stderr)) throw new Error(`A stack trace: ${stderr}`);
  return JSON.parse(lines[0]!);
}
