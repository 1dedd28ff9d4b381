/** A script that changes files all the time, while a test looks at them. */

/** Repeats `script` by a shell in `cwd`. After its disposal none of its commands runs any more. */
export function repeatedScript(script: string, cwd: string): AsyncDisposable {
  const going = Deno.makeTempFileSync();
  const child = new Deno.Command("sh", {
    args: ["-c", `while [ -e "$0" ]; do\n${script}\ndone`, going],
    cwd,
    stderr: "null",
  }).spawn();
  return {
    async [Symbol.asyncDispose]() {
      // A signal to the shell would leave its last command running.
      Deno.removeSync(going);
      await child.status;
    },
  };
}
