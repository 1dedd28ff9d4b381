/** A script that changes files repeatedly while a test reads them. */

/** Repeats `script` with a shell in `cwd`. After the disposal, no command of it runs any more. */
export function repeatedScript(script: string, cwd: string): AsyncDisposable {
  const isRunning = Deno.makeTempFileSync();
  const child = new Deno.Command("sh", {
    args: ["-c", `while [ -e "$0" ]; do\n${script}\ndone`, isRunning],
    cwd,
    stderr: "null",
  }).spawn();
  return {
    async [Symbol.asyncDispose]() {
      // A signal to the shell would leave its last command running.
      Deno.removeSync(isRunning);
      await child.status;
    },
  };
}
