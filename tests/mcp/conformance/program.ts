/** The program that the conformance suite tests. */
import { fileURLToPath } from "node:url";
import type { ServerEntry } from "../../support/packages.ts";

const root = new URL("../../../", import.meta.url);
const directory = "tests/mcp/conformance";

/**
 * Writes the registry of the suite's tools, which takes about a second, and writes the program into
 * `target`. Returns the command of the program. Two processes cannot call this function at the same
 * time, because both write the registry.
 */
export async function conformanceProgram(target: string): Promise<ServerEntry> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "scripts/generate.ts", `--tools=${directory}/tools`],
    cwd: root,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const path = `${target}/program`;
  const main = fileURLToPath(new URL(`${directory}/main.ts`, root));
  // The program starts itself again for each background task, as the executable does.
  const start = `exec "${Deno.execPath()}" run -A --quiet "${main}" "$@"`;
  Deno.writeTextFileSync(path, `#!/bin/sh\nTOOLCALL_EXECUTABLE="$0" ${start}\n`, { mode: 0o700 });
  return { command: path, args: [], env: {} };
}
