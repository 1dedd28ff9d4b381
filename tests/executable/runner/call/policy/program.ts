/** The program that the tests of policy run. */
import { fileURLToPath } from "node:url";

const root = new URL("../../../../../", import.meta.url);
const directory = "tests/executable/runner/call/policy";

/**
 * Writes the registry of its tools, about a second's work, and the program into `place`; returns
 * the program's path. Not to be called by two processes at once.
 */
export async function policyProgram(place: string): Promise<string> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "scripts/generate.ts", `--tools=${directory}/tools`],
    cwd: root,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const path = `${place}/program`;
  const main = fileURLToPath(new URL(`${directory}/main.ts`, root));
  // It starts itself again, as the executable does.
  const start = `exec "${Deno.execPath()}" run -A --quiet "${main}" "$@"`;
  Deno.writeTextFileSync(path, `#!/bin/sh\nTOOLCALL_EXECUTABLE="$0" ${start}\n`, { mode: 0o700 });
  return path;
}
