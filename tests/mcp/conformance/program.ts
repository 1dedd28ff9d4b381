/** The program that the conformance suite is run against. */
import { fileURLToPath } from "node:url";
import type { ServerEntry } from "../../support/packages.ts";

const root = new URL("../../../", import.meta.url);
const directory = "tests/mcp/conformance";

/**
 * Writes the registry of the suite's tools, about a second's work, and returns what
 * starts the program: its arguments follow. Not to be called by two processes at once.
 */
export async function conformanceProgram(): Promise<ServerEntry> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "scripts/generate.ts", `--tools=${directory}/tools`],
    cwd: root,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return {
    command: Deno.execPath(),
    args: ["run", "-A", "--quiet", fileURLToPath(new URL(`${directory}/main.ts`, root))],
    env: {},
  };
}
