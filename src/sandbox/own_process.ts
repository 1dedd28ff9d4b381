/** Processes of this very program, that answer under the same flags. */

import { resolve } from "@std/path/posix/resolve";
import { CallError } from "../call_error.ts";
import { callersEnvironment } from "./environment.ts";

/** The longest answer of another process that is taken, in characters. */
const LONGEST = 100_000_000;
/** How long one has to end after TERM, in milliseconds. */
const END_MS = 3_000;

/** What is needed to start this program once more. */
export interface OwnProgram {
  /** The folder of the program's own files. */
  programFolder: string;
  /** Whether the program runs from its bundle. */
  isBundled: boolean;
}

/** The command that starts this program. */
export function ownCommand({ programFolder, isBundled }: OwnProgram): [string, ...string[]] {
  const executable = Deno.env.get("TOOLCALL_EXECUTABLE");
  if (executable !== undefined) return [resolve(Deno.cwd(), executable)];
  if (isBundled) return [Deno.execPath()];
  return [Deno.execPath(), "run", "--allow-all", "--quiet", `${programFolder}/main.ts`];
}

/**
 * Starts a process that outlives this one, in a session of its own, gives it `input`
 * and returns the first line that it prints. Throws `unavailable`.
 */
export async function startDetached(
  [path, ...args]: readonly [string, ...string[]],
  input: string,
): Promise<string> {
  const child = spawn(path, args, { detached: true });
  child.unref();
  await give(child, input);
  let line = "";
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  while (!line.includes("\n")) {
    const { value, done } = await reader.read();
    if (done || line.length > LONGEST) break;
    line += value;
  }
  if (line.includes("\n")) return line.slice(0, line.indexOf("\n"));
  throw new CallError("unavailable", `Cannot start ${JSON.stringify(path)} in the background`);
}

/**
 * Runs a process to its end: gives it `input` and returns what it prints. Aborting
 * `signal` ends it. Throws `unavailable` when it cannot be started or prints too much.
 */
export async function runToEnd(
  [path, ...args]: readonly [string, ...string[]],
  { input, signal }: { input: string; signal: AbortSignal },
): Promise<string> {
  const child = spawn(path, args, { detached: false });
  const end = () => {
    kill(child, "SIGTERM");
    setTimeout(() => kill(child, "SIGKILL"), END_MS);
  };
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  try {
    await give(child, input);
    let text = "";
    for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
      text += part;
      if (text.length <= LONGEST) continue;
      end();
      throw new CallError("unavailable", "Cannot take the answer of a call: it is too long");
    }
    await child.status;
    return text;
  } finally {
    signal.removeEventListener("abort", end);
  }
}

function spawn(path: string, args: string[], { detached }: { detached: boolean }) {
  try {
    return new Deno.Command(path, {
      args,
      clearEnv: true,
      env: callersEnvironment(),
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
      detached,
    }).spawn();
  } catch (error) {
    const reason = (error as Error).message;
    throw new CallError("unavailable", `Cannot start ${JSON.stringify(path)}: ${reason}`);
  }
}

/** One that ends before it has read its input says why on its output. */
async function give(child: Deno.ChildProcess, input: string): Promise<void> {
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input)).catch(() => {});
  await writer.close().catch(() => {});
}

function kill(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch { /* it has ended */ }
}
