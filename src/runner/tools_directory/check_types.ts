import { join } from "@std/path/posix/join";
import { ownVariable } from "../own_environment.ts";
import type { Program } from "../program.ts";
import { DENO_JSON, TYPES, TYPES_NAME } from "./types_file.ts";

/**
 * Checks the types of a tool's file with the type checker of the runtime, which runs no code of it.
 * Returns the errors as lines of text, each with its place, or `undefined` if this executable has no
 * type checker.
 */
export async function checkTypes(
  path: string,
  { isBundled }: Pick<Program, "isBundled">,
): Promise<string[] | undefined> {
  if (isBundled && ownVariable("executable") === undefined) return undefined;
  const directory = Deno.makeTempDirSync({ prefix: "toolcall-types-" });
  try {
    const config = join(directory, "deno.json");
    Deno.writeTextFileSync(config, DENO_JSON);
    Deno.writeTextFileSync(join(directory, TYPES_NAME), TYPES);
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--quiet", "--config", config, "--no-lock", "--no-remote", "--no-npm", path],
      cwd: directory,
      env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
      stdin: "null",
      stdout: "null",
    }).output();
    return success ? [] : errorLines(new TextDecoder().decode(stderr));
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}

/** The errors of a report: `TS2322 [ERROR]: …`, then the text, then `at file:///x.ts:3:5`. */
function errorLines(report: string): string[] {
  const errors = report.split(/\n\n+/).flatMap((part) => {
    const [, message] = /\bTS\d+ \[ERROR\]: ([^\n]*)/.exec(part) ?? [];
    const [, place] = /\bat file:\/\/(\S+)/.exec(part) ?? [];
    return message === undefined ? [] : `${place === undefined ? "" : `${place}: `}${message}`;
  });
  return errors.length > 0 ? errors : [report.trim()];
}
