/** Real repositories for the tests of git. */
import { checkedNeeds } from "../../support/checked_needs.ts";
import git from "../../../tools/git.ts";
import { temporaryDirectory } from "../../support/executable.ts";
import { contextFor } from "../../support/tool_context.ts";

/** The arguments of a call of git. */
export type Args = Parameters<typeof git.run>[0];

/** The output of bash for a command, which must succeed. The user's configuration is not read. */
export function shell(cwd: string, command: string): string {
  const { stdout, stderr, success } = new Deno.Command("bash", {
    args: ["-ec", command],
    cwd,
    env: { GIT_CONFIG_GLOBAL: "/dev/null" },
  }).outputSync();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

/** A repository with two commits and the files a, b and "c d". */
export function repository() {
  const directory = temporaryDirectory();
  shell(
    directory.path,
    `git init -q -b main; git config user.name A; git config user.email a@example.com
    echo one > a; echo two > b; echo three > 'c d'; git add .; git commit -qm First
    echo more >> a; git commit -qam Second`,
  );
  return directory;
}

/** The tool's answer to a call: its result or its error's message. */
export async function said(cwd: string, args: Args): Promise<string> {
  try {
    checkedNeeds(git, args, cwd, {});
    return String(await git.run(args, contextFor(cwd)));
  } catch (error) {
    return (error as Error).message;
  }
}

/** Whether anything is at a path. */
export function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
