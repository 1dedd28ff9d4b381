/** The program that the policy tests run. */
import { fileURLToPath } from "node:url";

const root = new URL("../../../../../", import.meta.url);
const directory = "tests/executable/runner/call/policy";

/** Runs the generator on the program's tools. Returns whether it succeeds, and what it says. */
async function generate(...flags: string[]): Promise<{ success: boolean; said: string }> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "scripts/generate.ts", `--tools=${directory}/tools`, ...flags],
    cwd: root,
  }).output();
  return { success, said: new TextDecoder().decode(stderr) };
}

/**
 * Writes the registry of the program's tools, if it is not there as it must be. Then writes the
 * program into `target`, and returns the program's path.
 */
export async function policyProgram(target: string): Promise<string> {
  // Two test files may begin at the same time, and one must not empty the registry of the other.
  using lock = await Deno.open(new URL(`${directory}/main.ts`, root));
  await lock.lock(true);
  if (!(await generate("--check")).success) {
    const { success, said } = await generate();
    if (!success) throw new Error(said);
  }
  const path = `${target}/program`;
  const main = fileURLToPath(new URL(`${directory}/main.ts`, root));
  // The program starts itself again, as the executable does.
  const start = `exec "${Deno.execPath()}" run -A --quiet "${main}" "$@"`;
  Deno.writeTextFileSync(path, `#!/bin/sh\nTOOLCALL_EXECUTABLE="$0" ${start}\n`, { mode: 0o700 });
  return path;
}
