/** Runs commands of Deno in the checkout or in another directory. */
import { fileURLToPath } from "node:url";

/** The root of the checkout. */
export const root = fileURLToPath(new URL("../../../", import.meta.url));

interface Run {
  cwd?: string;
  env?: Record<string, string>;
}

/** Runs Deno, and returns the exit code and the output. */
export async function deno(args: readonly string[], { cwd = root, env = {} }: Run = {}) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    ...{ cwd, env: { NO_COLOR: "1", ...env }, stdin: "null" },
    // Ends a command that hangs.
    signal: AbortSignal.timeout(600_000),
  }).output();
  const [out, error] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, out: out!, error: error! };
}
