/** Calls of `Bash` with `session` in a directory. Its shells end when it is disposed of. */
import { call, temporaryDirectory, toolcall } from "./executable.ts";

/** Makes a directory with a new state. Its disposal ends its shells. */
export function sessionDesk(more: string[] = []) {
  const directory = temporaryDirectory();
  const state = [`--state-dir=${directory.path}/state`];
  Deno.mkdirSync(`${directory.path}/work`);
  const work = Deno.realPathSync(`${directory.path}/work`);
  const flags = ["--allow-run", `--allow-read=${work}`, `--allow-write=${work}`, ...more];
  const tasks = async () => {
    const { stdout } = await toolcall(["tasks", "--format=json", ...state]);
    return JSON.parse(stdout) as { id: string; status: string; title: string; pid: number }[];
  };
  return {
    ...{ work, state, flags, tasks },
    run: (command: string, args: Record<string, unknown> = {}, own: string[] = flags) =>
      call("Bash", { command, session: "main", ...args }, { flags: [...own, ...state], cwd: work }),
    restart: () =>
      call("Bash", { session: "main", restart: true }, { flags: [...flags, ...state], cwd: work }),
    async [Symbol.asyncDispose]() {
      for (const { id, status } of await tasks()) {
        if (status === "running") await toolcall(["tasks", "stop", id, ...state]);
      }
      directory[Symbol.dispose]();
    },
  };
}
