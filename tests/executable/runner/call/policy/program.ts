/** The program that the policy tests run. */
import { fileURLToPath } from "node:url";

const root = new URL("../../../../../", import.meta.url);
const directory = "tests/executable/runner/call/policy";

/**
 * Writes the registry of the program's tools, which takes about a second. Then writes the program
 * into `target`, and returns the program's path. Two processes must not call this at the same time.
 */
export async function policyProgram(target: string): Promise<string> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "scripts/generate.ts", `--tools=${directory}/tools`],
    cwd: root,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const path = `${target}/program`;
  const main = fileURLToPath(new URL(`${directory}/main.ts`, root));
  // The program starts itself again, as the executable does.
  const start = `exec "${Deno.execPath()}" run -A --quiet "${main}" "$@"`;
  Deno.writeTextFileSync(path, `#!/bin/sh\nTOOLCALL_EXECUTABLE="$0" ${start}\n`, { mode: 0o700 });
  return path;
}
