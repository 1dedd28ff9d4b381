/** Calls of `Bash` with `session`, for the tests of the shell of a session. */
import { expect } from "@std/expect";
import { executable } from "../../support/executable.ts";
import { has } from "../../support/programs.ts";
import type { sessionDesk } from "../../support/session_desk.ts";
import { until } from "../../support/wait.ts";

/** Whether this machine has no shells of sessions. */
export const ignore = Deno.build.os !== "linux" || !has("bash");

type Desk = ReturnType<typeof sessionDesk>;

/** Starts a call, and waits until its command has begun. */
export async function begin(
  { flags, state, work }: Desk,
  command: string,
): Promise<Deno.ChildProcess> {
  const args = JSON.stringify({ command: `: >begun; ${command}`, session: "main" });
  const child = new Deno.Command(executable, {
    args: [...flags, ...state, "Bash", args],
    ...{ cwd: work, stdin: "null", stdout: "piped", stderr: "null" },
  }).spawn();
  const isThere = () => [...Deno.readDirSync(work)].some(({ name }) => name === "begun");
  expect(await until(isThere)).toBe(true);
  Deno.removeSync(`${work}/begun`);
  return child;
}
