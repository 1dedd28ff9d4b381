/** The program that the conformance suite is run against. */
import { fileURLToPath } from "node:url";
import type { ServerEntry } from "../../support/packages.ts";

const root = new URL("../../../", import.meta.url);
const directory = "tests/mcp/conformance";

/**
 * Writes the registry of the suite's tools, about a second's work, and the program into the directory
 * `place`. Returns what starts the program: its arguments follow. Two processes cannot call it at once.
 */
export async function conformanceProgram(place: string): Promise<ServerEntry> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "scripts/generate.ts", `--tools=${directory}/tools`],
    cwd: root,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const path = `${place}/program`;
  const main = fileURLToPath(new URL(`${directory}/main.ts`, root));
  // It starts itself again for each background task, as the executable does.
  const start = `exec "${Deno.execPath()}" run -A --quiet "${main}" "$@"`;
  Deno.writeTextFileSync(path, `#!/bin/sh\nTOOLCALL_EXECUTABLE="$0" ${start}\n`, { mode: 0o700 });
  return { command: path, args: [], env: {} };
}
