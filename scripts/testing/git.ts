const root = new URL("../../", import.meta.url);

/**
 * The lines that a command of git prints in the checkout. Names are not quoted. Throws an `Error`
 * with what git says when the command fails.
 */
export function git(...args: string[]): string[] {
  const { success, stdout, stderr } = new Deno.Command("git", {
    args: ["-c", "core.quotePath=off", ...args],
    cwd: root,
  }).outputSync();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`git ${args.join(" ")}: ${decoder.decode(stderr).trim()}`);
  return decoder.decode(stdout).split("\n").filter((line) => line !== "");
}
