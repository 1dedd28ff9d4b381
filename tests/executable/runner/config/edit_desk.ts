/** A directory with configurations, which calls of `Config` edit. */
import { call, temporaryDirectory } from "../../../support/executable.ts";

/** A directory with these files in it, and the user's own configuration in `own`. */
export function desk(files: Record<string, string> = {}) {
  const directory = temporaryDirectory();
  const { path } = directory;
  Deno.mkdirSync(`${path}/own/toolcall`, { recursive: true });
  for (const [name, text] of Object.entries(files)) Deno.writeTextFileSync(`${path}/${name}`, text);
  const env = { XDG_CONFIG_HOME: `${path}/own`, XDG_STATE_HOME: `${path}/state` };
  return {
    path,
    env,
    text: (name = "toolcall.json") => Deno.readTextFileSync(`${path}/${name}`),
    config: async (args: Record<string, unknown>, flags: string[] = ["-A"]) => {
      const { exit, text } = await call("Config", args, { flags, cwd: path, env });
      return { exit, text: text.replaceAll(`${path}/`, "@") };
    },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}
