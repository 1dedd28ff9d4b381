/** Pipes in place of ignore files: ripgrep would wait for them forever. */
import { expect } from "@std/expect";
import { submitCalls } from "../../tools/submitted_calls.ts";
import { type Running, testSearches } from "./special_files.ts";

const inOneProcess: Running = (calls, root) =>
  submitCalls(calls, { flags: ["--allow-all"], cwd: root });

testSearches(
  "a named pipe that nobody writes to",
  async (path) => {
    await makePipe(path);
    return undefined;
  },
  inOneProcess,
  true,
);

testSearches(
  "a named pipe that another program keeps open",
  async (path) => {
    await makePipe(path);
    return Deno.openSync(path, { read: true, write: true });
  },
  inOneProcess,
  true,
);

async function makePipe(path: string): Promise<void> {
  const { success } = await new Deno.Command("mkfifo", { args: [path] }).output();
  expect(success).toBe(true);
}
