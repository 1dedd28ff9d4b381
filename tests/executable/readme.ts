/** The README's blocks, and how its commands are run. */
import { fileURLToPath } from "node:url";
import { executable, temporaryDirectory } from "../support/executable.ts";

export const root = fileURLToPath(new URL("../../", import.meta.url));
export const readme = Deno.readTextFileSync(`${root}README.md`);

/** The fenced blocks of one language. */
export const blocks = (language: string) =>
  [...readme.matchAll(new RegExp("```" + language + "\n([^]*?)```", "g"))].map(([, code]) => code!);

/** Runs a script with the executable under the name the README uses. */
export async function run(program: string[], script: string): Promise<string> {
  using directory = temporaryDirectory();
  Deno.symlinkSync(executable, `${directory.path}/toolcall`);
  Deno.writeTextFileSync(`${directory.path}/README.md`, readme);
  Deno.writeTextFileSync(`${directory.path}/script`, script);
  const { stdout, stderr, success } = await new Deno.Command(program[0]!, {
    args: [...program.slice(1), `${directory.path}/script`],
    cwd: directory.path,
    env: { PATH: `${directory.path}:${Deno.env.get("PATH")}` },
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}
