import type { Program } from "../program.ts";
import { callersEnvironment } from "../sandbox/executors/environment.ts";
import { ownCommand } from "../sandbox/executors/own_process.ts";

const SHELL = "/bin/sh";
/** Waits for a line. The end of the input without a line means that the caller was killed. */
const SCRIPT = 'read -r _ || exec "$@"';

/**
 * Starts a process that finishes the patches of the state directory `directory` if this process
 * ends before it calls the returned function. The process is a shell, which starts in a
 * millisecond, and becomes this program only if it is needed. Without a shell there is no guard; the
 * next tool that uses the files finishes the patch.
 */
export function startGuard(
  directory: string,
  program: Pick<Program, "directory" | "isBundled">,
): () => Promise<void> {
  let guard: Deno.ChildProcess;
  try {
    guard = new Deno.Command(SHELL, {
      args: ["-c", SCRIPT, "sh", ...ownCommand(program), "restore-patches", directory],
      clearEnv: true,
      env: callersEnvironment(),
      cwd: "/",
      stdin: "piped",
      stdout: "null",
      stderr: "null",
      // The signals of a terminal, and those to the caller's process group, do not reach it.
      detached: true,
    }).spawn();
  } catch {
    return () => Promise.resolve();
  }
  guard.unref();
  return async () => {
    const writer = guard.stdin.getWriter();
    await writer.write(new TextEncoder().encode("done\n")).catch(() => {});
    await writer.close().catch(() => {});
    await guard.status;
  };
}
