/** Calls that start, read and stop background tasks. */
import { expect } from "@std/expect";
import { call, temporaryDirectory } from "../../support/executable.ts";

/** A directory with a state directory, and calls there. */
export function desk(flags: string[] = ["-A"]) {
  const directory = temporaryDirectory();
  const state = `${directory.path}/state`;
  const all = [...flags, `--state-dir=${state}`];
  const ask = (name: string, args: Record<string, unknown>) =>
    call(name, args, { flags: all, cwd: directory.path });
  return {
    path: directory.path,
    state,
    ask,
    async start(command: string, more: Record<string, unknown> = {}): Promise<string> {
      const result = await ask("Bash", { command, run_in_background: true, ...more });
      expect(result.isError).toBe(false);
      const { id } = result._meta!["toolcall/task"];
      expect(result.text).toContain(id);
      return id;
    },
    read: (id: string, more: Record<string, unknown> = {}) =>
      ask("TaskOutput", { task_id: id, timeout: 600_000, ...more }),
    stop: (id: string) => ask("TaskStop", { task_id: id }),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}
