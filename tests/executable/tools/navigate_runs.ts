/** Runs of the tool `navigate` in repositories. */
import navigate from "../../../tools/navigate.ts";
import { temporaryDirectory } from "../../support/temporary_directory.ts";
import { contextFor } from "../../support/tool_context.ts";

/** A git repository in a temporary directory. */
export function repository(files: Iterable<readonly [path: string, text: string | Uint8Array]>) {
  const directory = temporaryDirectory();
  for (const [path, text] of files) {
    Deno.mkdirSync(`${directory.path}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    if (typeof text === "string") Deno.writeTextFileSync(`${directory.path}/${path}`, text);
    else Deno.writeFileSync(`${directory.path}/${path}`, text);
  }
  const git = new Deno.Command("git", { args: ["init", "-q"], cwd: directory.path });
  if (!git.outputSync().success) throw new Error("Cannot make a repository");
  return directory;
}

/** The arguments of a call. */
export type Args = Parameters<typeof navigate.run>[0];

/** The result of the tool's own code. */
export async function run(
  cwd: string,
  args: Partial<Args> & Pick<Args, "action">,
  signal?: AbortSignal,
): Promise<string> {
  const all = { head_limit: 200, offset: 0, ...args };
  return String(await navigate.run(all, contextFor(cwd, signal ? { signal } : {})));
}
