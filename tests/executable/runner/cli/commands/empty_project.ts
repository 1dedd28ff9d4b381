/** An empty project for the tests of a user's own tools. */
import { temporaryDirectory, toolcall } from "../../../../support/executable.ts";

/** An empty project, in which the executable is run. */
export function emptyProject() {
  const directory = temporaryDirectory();
  const path = `${directory.path}/project`;
  Deno.mkdirSync(path);
  const env = { XDG_CONFIG_HOME: `${directory.path}/home` };
  return {
    path,
    env,
    run: (...args: string[]) => toolcall(args, { cwd: path, env }),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}
