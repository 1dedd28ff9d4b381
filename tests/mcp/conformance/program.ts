/** The program that the conformance suite tests. */
import { fileURLToPath } from "node:url";
import type { ServerEntry } from "../../support/packages.ts";

const root = new URL("../../../", import.meta.url);
const directory = "tests/mcp/conformance";

function generate(...flags: string[]): Promise<Deno.CommandOutput> {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "scripts/generate.ts", `--tools=${directory}/tools`, ...flags],
    cwd: root,
  }).output();
}

/**
 * Writes the registry of the suite's tools, unless it is up to date, and writes the program into
 * `target`. Returns the command of the program. A lock keeps two processes from writing the registry
 * at the same time.
 */
export async function conformanceProgram(target: string): Promise<ServerEntry> {
  using lock = await Deno.open(new URL(`${directory}/main.ts`, root));
  await lock.lock(true);
  if (!(await generate("--check")).success) {
    const { success, stderr } = await generate();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
  }
  const path = `${target}/program`;
  const main = fileURLToPath(new URL(`${directory}/main.ts`, root));
  // The program starts itself again for each background task, as the executable does.
  const start = `exec "${Deno.execPath()}" run -A --quiet "${main}" "$@"`;
  Deno.writeTextFileSync(path, `#!/bin/sh\nTOOLCALL_EXECUTABLE="$0" ${start}\n`, { mode: 0o700 });
  return { command: path, args: [], env: {} };
}
