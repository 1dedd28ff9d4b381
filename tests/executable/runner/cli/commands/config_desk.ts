/** A directory with configurations, in which `toolcall config` runs. */
import { temporaryDirectory, toolcall } from "../../../../support/executable.ts";

/** A directory with these files in it, and the user's own configuration in `own`. */
export function desk(files: Record<string, string>) {
  const directory = temporaryDirectory();
  const { path } = directory;
  Deno.mkdirSync(`${path}/own/toolcall`, { recursive: true });
  for (const [name, text] of Object.entries(files)) Deno.writeTextFileSync(`${path}/${name}`, text);
  return {
    path,
    config: async (...args: string[]) => {
      const run = await toolcall(["config", ...args], {
        cwd: path,
        env: { XDG_CONFIG_HOME: `${path}/own`, TOKEN_OF_TEST: "" },
      });
      return { ...run, stdout: run.stdout.replaceAll(`${path}/`, "@") };
    },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}
